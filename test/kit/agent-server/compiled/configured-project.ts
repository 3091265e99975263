import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { GraphAgentServerOptions } from "../../../../mock-server/agent-server/graph-agent-server.ts";
import type { ProjectOptions, RunningProject } from "../../../../mock-server/worker/host/running-project.ts";
import { startProject } from "../../../../mock-server/worker/host/start-project.ts";
import { readGraphConfig } from "../../../../mock-server/worker/load/graph-config.ts";
import type { TestAgent } from "../agent.ts";
import { copyOfProject } from "../projects/project-copy.ts";
import { startAgentOf } from "./project.ts";

/** An agent server whose project has a configuration file of the test's own. */
export interface ConfiguredAgent extends TestAgent {
  project: RunningProject;
  folder: string;
  /** What the project has printed and logged. */
  lines: string[];
}

interface Configuration {
  /** The keys of the configuration file besides `graphs`. */
  keys: object;
  /** Further files, by name. */
  files?: Record<string, string>;
  /** @default the fixture "routes" */
  fixture?: string;
  project?: Omit<ProjectOptions, "onLog">;
  server?: GraphAgentServerOptions;
}

/** Starts an agent server for a copy of a fixture project with another configuration file. */
export async function startConfigured({
  keys,
  files = {},
  fixture = "routes",
  project: options = {},
  server = {},
}: Configuration): Promise<ConfiguredAgent> {
  const copy = await copyOfProject(fixture);
  const graphs = { agent: "./graph.ts:graph" };
  for (const [name, text] of Object.entries(files)) await writeFile(join(copy.folder, name), text);
  const file = join(copy.folder, "graph.json");
  await writeFile(file, JSON.stringify({ graphs, ...keys }));
  const lines: string[] = [];
  const project = await startProject(await readGraphConfig(file), {
    ...options,
    onLog: ({ text }) => lines.push(text),
  });
  const agent = await startAgentOf(project, server);
  return {
    ...agent,
    project,
    folder: copy.folder,
    lines,
    async [Symbol.asyncDispose]() {
      await agent[Symbol.asyncDispose]();
      await project[Symbol.asyncDispose]();
      await copy[Symbol.asyncDispose]();
    },
  };
}
