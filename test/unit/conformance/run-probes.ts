import { startAgentOf, startProject } from "../../kit/agent-server/compiled/project.ts";
import { probeAuth, probeClosedAuth } from "../../kit/conformance/probes/auth-probes.ts";
import {
  probeCancelling,
  probeInterrupts,
  probeJoining,
  probeMultitask,
} from "../../kit/conformance/probes/concurrent-probes.ts";
import { probeErrors } from "../../kit/conformance/probes/error-probes.ts";
import { createProber, type Prober } from "../../kit/conformance/probes/prober.ts";
import { probeAssistants, probeCrons, probeStore } from "../../kit/conformance/probes/resource-probes.ts";
import { probeStatelessRuns, probeSystem } from "../../kit/conformance/probes/stateless-probes.ts";
import { probeThreadRuns, probeThreads } from "../../kit/conformance/probes/thread-probes.ts";
import type { ResponseFacts } from "../../kit/conformance/response-facts.ts";

/** The facts of our server's responses to the probes, with the graphs and auth handlers of the project "probe". */
export async function factsOfOurs(): Promise<Record<string, ResponseFacts>> {
  return {
    ...(await factsOf("graph.json", probeAll)),
    ...(await factsOf("auth.json", probeAuth)),
    ...(await factsOf("closed-auth.json", probeClosedAuth)),
  };
}

async function factsOf(
  config: string,
  probe: (prober: Prober) => Promise<void>,
): Promise<Record<string, ResponseFacts>> {
  await using worker = await startProject("probe", { config });
  await using agent = await startAgentOf(worker);
  const prober = createProber(agent.url);
  await probe(prober);
  return prober.facts;
}

async function probeAll(prober: Prober): Promise<void> {
  await probeSystem(prober);
  await probeStore(prober);
  await probeStatelessRuns(prober);
  const thread = await probeThreads(prober);
  await probeThreadRuns(prober);
  await probeJoining(prober);
  await probeCancelling(prober);
  await probeInterrupts(prober);
  await probeMultitask(prober);
  await probeAssistants(prober);
  await probeCrons(prober);
  await probeErrors(prober, thread);
}
