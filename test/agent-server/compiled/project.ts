import { fileURLToPath } from "node:url";
import type { GraphAgentServerOptions } from "../../../mock-server/agent-server/graph-agent-server.ts";
import { type ProjectWorker, startProjectWorker } from "../../../mock-server/worker/host/project-worker.ts";
import type { RunningProject } from "../../../mock-server/worker/host/running-project.ts";
import type { ProjectWorkerOptions } from "../../../mock-server/worker/host/supervisor.ts";
import { readGraphConfig } from "../../../mock-server/worker/load/graph-config.ts";
import { startAgent, type TestAgent } from "../agent.ts";

/** Starts the thread of a project under test/fixtures/graph-projects. */
export async function startProject(
  name: string,
  options: ProjectWorkerOptions & { config?: string } = {},
): Promise<RunningProject & ProjectWorker> {
  const { config = "graph.json", ...rest } = options;
  const file = new URL(`../../fixtures/graph-projects/${name}/${config}`, import.meta.url);
  const project = await readGraphConfig(fileURLToPath(file));
  const worker = await startProjectWorker(project, { onLog: () => undefined, ...rest });
  return { ...worker, project, files: [] };
}

/** Starts an agent server that runs the graphs of a project. The thread outlives it. */
export function startAgentOf(worker: RunningProject, options: GraphAgentServerOptions = {}): Promise<TestAgent> {
  return startAgent({ projectOf: async () => worker, ...options });
}
