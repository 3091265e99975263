import { relative } from "node:path";
import type { ScriptedGraph } from "./agent-server/engine/scripted-graph.ts";
import type { DevServer } from "./dev-server.ts";
import { isSecretVariable, Redaction } from "./kit/redaction.ts";
import type { DataDirectory } from "./kit/store/data-directory.ts";
import { sayIfReachable } from "./network-notice.ts";
import { UsageError } from "./usage-error.ts";
import type { GraphWorker } from "./worker/host/graph-worker.ts";
import type { LogLine } from "./worker/host/printed-lines.ts";
import type { ReloadEvent, ReloadingProject } from "./worker/host/reloading-project.ts";
import type { RunningProject } from "./worker/host/running-project.ts";
import { findGraphConfig } from "./worker/load/find-graph-config.ts";

/** The flags of the `dev` command, read. */
export interface DevFlags {
  port: number;
  host: string;
  allowHost?: string[];
  config?: string;
  graphs?: string;
  dataDir?: string;
  /** In MiB. */
  workerMemory?: number;
  reload: boolean;
  logFormat: "pretty" | "json";
}

/** A server that listens. */
export type StartedDev = Pick<DevServer, "url" | "close">;

/**
 * Starts the server that the flags describe, and says on stdout where it listens. What few of its starts need is loaded
 * by those.
 * @throws {UsageError} for options that exclude each other; {ConfigError} for a file that isn't right; {Error} when something of a project doesn't load.
 */
export async function startDev(flags: DevFlags): Promise<StartedDev> {
  const { config, graphs } = flags;
  if (config !== undefined && graphs !== undefined) throw new UsageError("Give --config or --graphs, not both.");
  const file = config ?? (graphs === undefined ? findGraphConfig(process.cwd()) : undefined);
  if (file === undefined) return startServer(flags);
  // The project's worker takes its time to start, and then to load the library: it goes first, and the rest is loaded
  // in the meantime.
  const { GraphWorker } = await import("./worker/host/graph-worker.ts");
  const prewarmed = new GraphWorker({ env: process.env, memoryMb: flags.workerMemory });
  try {
    return await startServer(flags, { file, prewarmed });
  } catch (error) {
    await prewarmed.terminate(error as Error);
    throw error;
  }
}

/** A graph configuration file, and the worker for its graphs. */
interface ProjectStart {
  file: string;
  prewarmed: GraphWorker;
}

async function startServer(
  { port, host, allowHost, graphs: graphsFile, dataDir, reload, workerMemory, logFormat }: DevFlags,
  projectStart?: ProjectStart,
): Promise<StartedDev> {
  const say = logFormat === "json" ? sayJson : sayPlainly;
  // What happens before the server listens is reported after it: the first line says where it does.
  const early: (ReloadEvent | Output)[] = [];
  let tell: (event: ReloadEvent | Output) => void = (event) => early.push(event);
  const options = { isWatched: reload, memoryMb: workerMemory };
  const loading = projectStart && (await beginLoading(projectStart, options, (event) => tell(event)));
  const [{ createGraphAgentServer }, { localAgent, startDevServer }, { withBuiltInGraphs, builtInGraphs }] =
    await Promise.all([
      import("./agent-server/graph-agent-server.ts"),
      import("./dev-server.ts"),
      import("./graphs/built-in-graphs.ts"),
    ]);
  const scripted = withBuiltInGraphs(graphsFile === undefined ? [] : await declaredIn(graphsFile, builtInGraphs));
  const directory = dataDir === undefined ? undefined : await openDataDirectory(dataDir);
  let project: ReloadingProject | undefined;
  const report = (level: "WARNING" | "ERROR", message: string) => {
    const text = redactedFor(project?.running.project.env ?? {}, message);
    tell({ event: "output", stream: "stderr", level, text });
  };
  const agentServer = createGraphAgentServer({
    graphs: scripted,
    projectOf: async () => project?.running,
    onLog: ({ level, message }) => {
      if (level === "WARNING" || level === "ERROR") report(level, message);
    },
    onDefect: (error) => report("ERROR", defectText(error)),
    ...(directory ? { database: directory.database } : {}),
  });
  const agent = {
    ...localAgent,
    // One of its own for each load, so that the agent server takes over the new graphs.
    get revisionId() {
      if (!project) return localAgent.revisionId;
      return localAgent.revisionId.slice(0, 24) + project.generation.toString(16).padStart(12, "0");
    },
  };
  let server: DevServer;
  try {
    project = await loading?.loaded;
    if (directory) await agentServer.wake?.(agent);
    server = await startDevServer(port, host, agentServer, agent, allowHost);
  } catch (error) {
    agentServer.close?.();
    await project?.[Symbol.asyncDispose]();
    directory?.close();
    throw error;
  }
  const graphs = (project?.running.graphs ?? scripted).map(({ id }) => id);
  const url = server.url + (project?.running.mountPrefix ?? "");
  say({ event: "listening", url, docs: `${url}/docs`, graphs, config: projectStart?.file ?? null });
  tell = say;
  for (const event of early) say(event);
  const hasAuth = project?.running.project.auth ?? null;
  sayIfReachable(
    host,
    logFormat,
    hasAuth === null
      ? "It asks for no key, and whoever reaches it runs the graphs."
      : "Only the project's auth handlers protect it.",
  );
  return {
    url,
    async close(options) {
      await server.close(options);
      directory?.close();
      await project?.[Symbol.asyncDispose]();
    },
  };
}

/** What is printed of a defect: a damaged record is none of the code's, which the stack would show. */
function defectText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.name === "DamagedRecordError" ? error.message : (error.stack ?? error.message);
}

/** A message of the server's own without the secrets of a project's environment. */
function redactedFor(env: Readonly<Record<string, string>>, message: string): string {
  const redaction = new Redaction();
  for (const [name, value] of Object.entries(env)) if (isSecretVariable(name)) redaction.remember(value);
  return redaction.text(message);
}

async function openDataDirectory(folder: string): Promise<DataDirectory> {
  const [{ DataDirectory }, { agentSchema }] = await Promise.all([
    import("./kit/store/data-directory.ts"),
    import("./agent-server/persistence/agent-schema.ts"),
  ]);
  return DataDirectory.open(folder, [agentSchema]);
}

async function declaredIn(graphsFile: string, others: readonly ScriptedGraph[]): Promise<ScriptedGraph[]> {
  const { readGraphs } = await import("./graphs/declared/read-graphs.ts");
  return readGraphs(graphsFile, others);
}

/**
 * Begins to load a project, and resolves once its worker is at work. `loaded` is a part of an object so that it isn't
 * waited for.
 */
async function beginLoading(
  { file, prewarmed }: ProjectStart,
  { isWatched, memoryMb }: { isWatched: boolean; memoryMb: number | undefined },
  tell: (event: ReloadEvent | Output) => void,
): Promise<{ loaded: Promise<ReloadingProject> }> {
  const [{ ReloadingProject }, { startProject }] = await Promise.all([
    import("./worker/host/reloading-project.ts"),
    import("./worker/host/start-project.ts"),
  ]);
  const warnOfReplaced = async (running: Promise<RunningProject>) => {
    const [{ replacedRoutes }, project] = await Promise.all([import("./agent-server/replaced-routes.ts"), running]);
    for (const message of replacedRoutes(project)) tell({ event: "warning", message });
    return project;
  };
  const begun = Promise.withResolvers<void>();
  let unused: GraphWorker | undefined = prewarmed;
  const loaded = ReloadingProject.start({
    file,
    isWatched,
    start(project) {
      // As in a shell: what is set there is there for the graphs.
      const env = { ...(process.env as Record<string, string>), ...project.env };
      const onLog = (line: LogLine) => tell({ event: "output", ...line });
      const running = startProject({ ...project, env }, { onLog, memoryMb, prewarmed: unused });
      unused = undefined;
      begun.resolve();
      return warnOfReplaced(running);
    },
    onEvent: tell,
  });
  // What comes of it may be known before somebody waits for it.
  loaded.catch(() => undefined);
  await Promise.race([begun.promise, loaded]);
  return { loaded };
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
  if (event.event === "output") {
    // What a project prints is its own; what is logged tells of requests, whose senders don't command the terminal.
    const text = event.level ? `${event.level} ${event.text.replace(/[^\P{Cc}\t\n]/gu, "?")}` : event.text;
    process[event.stream].write(`${text}\n`);
  } else if (event.event === "listening") {
    const config = event.config === null ? "" : `Configuration  ${relative(process.cwd(), event.config)}\n`;
    process.stdout.write(`Agent server   ${event.url}\nAPI reference  ${event.docs}\n`);
    process.stdout.write(`Graphs         ${event.graphs.join(", ")}\n${config}`);
  } else if (event.event === "reloaded") process.stdout.write(`Loaded again   ${event.graphs.join(", ")}\n`);
  else if (event.event === "warning") process.stderr.write(`warning: ${event.message}\n`);
  else process.stderr.write(`The change doesn't load, what was loaded before goes on serving: ${event.message}\n`);
}
