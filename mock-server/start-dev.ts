import { relative } from "node:path";
import { ConfigError } from "../core/errors.ts";
import type { ScriptedGraph } from "./agent-server/engine/scripted-graph.ts";
import { createGraphAgentServer } from "./agent-server/graph-agent-server.ts";
import type { LogLine } from "./agent-server/worker/worker-thread.ts";
import { type DevServer, localAgent, startDevServer } from "./dev-server.ts";
import { besideBuiltIn, builtInGraphs } from "./graphs/built-in-graphs.ts";
import { findGraphConfig } from "./project/find-graph-config.ts";
import type { ReloadEvent, ReloadingProject } from "./project/reloading-project.ts";

/** The flags of the `dev` command, read. */
export interface DevFlags {
  port: number;
  host: string;
  config?: string;
  graphs?: string;
  reload: boolean;
  logFormat: "pretty" | "json";
}

/** A server that listens. */
export type StartedDev = Pick<DevServer, "url" | "close">;

/**
 * Starts the server that the flags describe, and says on stdout where it listens. What few of its starts need is loaded by those.
 * @throws {ConfigError} for a file that isn't right; {Error} when something of a project doesn't load.
 */
export async function startDev({
  port,
  host,
  config,
  graphs: graphsFile,
  reload,
  logFormat,
}: DevFlags): Promise<StartedDev> {
  const say = logFormat === "json" ? sayJson : sayPlainly;
  // What happens before the server listens is told after it: the first line says where it does.
  const early: (ReloadEvent | Output)[] = [];
  let tell: (event: ReloadEvent | Output) => void = (event) => early.push(event);
  if (config !== undefined && graphsFile !== undefined) throw new ConfigError("Give --config or --graphs, not both.");
  const scripted = besideBuiltIn(graphsFile === undefined ? [] : await declaredIn(graphsFile));
  const file = config ?? (graphsFile === undefined ? findGraphConfig(process.cwd()) : undefined);
  const project = file === undefined ? undefined : await loadProject(file, reload, (event) => tell(event));
  const agent = {
    ...localAgent,
    get revisionId() {
      return project ? revisionIdOf(project.generation) : localAgent.revisionId;
    },
  };
  const agentServer = createGraphAgentServer({ graphs: scripted, projectOf: async () => project?.running });
  let server: DevServer;
  try {
    server = await startDevServer(port, host, agentServer, agent);
  } catch (error) {
    await project?.[Symbol.asyncDispose]();
    throw error;
  }
  const graphs = (project?.running.graphs ?? scripted).map(({ id }) => id);
  say({ event: "listening", url: server.url, docs: `${server.url}/docs`, graphs, config: file ?? null });
  tell = say;
  for (const event of early) say(event);
  return {
    url: server.url,
    async close() {
      await server.close();
      await project?.[Symbol.asyncDispose]();
    },
  };
}

async function declaredIn(graphsFile: string): Promise<ScriptedGraph[]> {
  const { readGraphs } = await import("./graphs/declared/read-graphs.ts");
  return readGraphs(graphsFile, builtInGraphs);
}

async function loadProject(
  file: string,
  isWatched: boolean,
  tell: (event: ReloadEvent | Output) => void,
): Promise<ReloadingProject> {
  const { ReloadingProject } = await import("./project/reloading-project.ts");
  const { startProject } = await import("./project/start-project.ts");
  return ReloadingProject.start({
    file,
    isWatched,
    // As in a shell: what is set there is there for the graphs.
    start: (loaded) =>
      startProject(
        { ...loaded, env: { ...(process.env as Record<string, string>), ...loaded.env } },
        { onLog: (line) => tell({ event: "output", ...line }) },
      ),
    onEvent: tell,
  });
}

interface Output extends LogLine {
  event: "output";
}

interface Listening {
  event: "listening";
  url: string;
  docs: string;
  graphs: readonly string[];
  config: string | null;
}

function sayJson(event: Listening | ReloadEvent | Output): void {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}

function sayPlainly(event: Listening | ReloadEvent | Output): void {
  if (event.event === "output") process[event.stream].write(`${event.text}\n`);
  else if (event.event === "listening") {
    const config = event.config === null ? "" : `Configuration  ${relative(process.cwd(), event.config)}\n`;
    process.stdout.write(`Agent server   ${event.url}\nAPI reference  ${event.docs}\n`);
    process.stdout.write(`Graphs         ${event.graphs.join(", ")}\n${config}`);
  } else if (event.event === "reloaded") process.stdout.write(`Loaded again   ${event.graphs.join(", ")}\n`);
  else if (event.event === "warning") process.stderr.write(`warning: ${event.message}\n`);
  else process.stderr.write(`The change doesn't load, what was loaded before goes on serving: ${event.message}\n`);
}

/** A revision of its own for each load, so that the agent server takes over the new graphs. */
function revisionIdOf(generation: number): string {
  return localAgent.revisionId.slice(0, 24) + generation.toString(16).padStart(12, "0");
}
