import { fileURLToPath } from "node:url";
import type { GraphAgentServerOptions } from "../../../../mock-server/agent-server/graph-agent-server.ts";
import type { ServedProject } from "../../../../mock-server/agent-server/served-project.ts";
import type { ProjectOptions, RunningProject } from "../../../../mock-server/worker/host/running-project.ts";
import { startProject as start } from "../../../../mock-server/worker/host/start-project.ts";
import { readGraphConfig } from "../../../../mock-server/worker/load/graph-config.ts";
import { startAgent, type TestAgent } from "../agent.ts";

/** Starts the worker of a project under test/fixtures/graph-projects. */
export async function startProject(
  name: string,
  options: ProjectOptions & { config?: string; env?: Record<string, string> } = {},
): Promise<RunningProject> {
  const { config = "graph.json", env, ...rest } = options;
  const file = new URL(`../../../fixtures/graph-projects/${name}/${config}`, import.meta.url);
  const project = await readGraphConfig(fileURLToPath(file));
  return start({ ...project, env: { ...project.env, ...env } }, { onLog: () => undefined, ...rest });
}

/** Starts an agent server that runs a project's graphs. The worker outlives the server. */
export function startAgentOf(project: ServedProject, options: GraphAgentServerOptions = {}): Promise<TestAgent> {
  return startAgent({ projectOf: async () => project, ...options });
}
