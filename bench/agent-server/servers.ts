import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, rmSync } from "node:fs";
import { get } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const command = here("../../build/cli.js");
const project = here("project");
const peerFolder = here("../../.cache/langgraph-api");
const peerCommand = join(peerFolder, "node_modules/@langchain/langgraph-cli/dist/cli/cli.mjs");
const peerProject = join(peerFolder, "project");

/** A server to measure. */
export interface ServerKind {
  name: string;
  /** The graph that does nothing, its input, and the graph that sends `n` events, where `n` is in its input. */
  graphs: { trivial: string; input: object; burst: string };
  args(port: number): string[];
  folder: string;
}

/** The scripted `burst` with zero events is a graph of one node that does nothing. */
export const scripted: ServerKind = {
  name: "scripted",
  graphs: { trivial: "burst", input: { n: 0 }, burst: "burst" },
  args: (port) => [command, "dev", "--port", String(port)],
  folder: here("."),
};

const ownGraphs = { trivial: "trivial", input: { value: "a" }, burst: "burst" };

export const compiled: ServerKind = {
  name: "compiled",
  graphs: ownGraphs,
  args: (port) => [command, "dev", "--config", join(project, "graph.json"), "--port", String(port)],
  folder: project,
};

/** The development server of LangGraph's authors, with this many workers. */
export function peer(workers: number): ServerKind {
  return {
    name: `peer, ${workers} workers`,
    graphs: ownGraphs,
    args: (port) =>
      [
        [peerCommand, "dev", "--no-browser", "--no-reload", "-h", "127.0.0.1"],
        ["-c", "graph.json", "-p", String(port), "-n", String(workers)],
      ].flat(),
    folder: peerProject,
  };
}

/** Bare `node:http` with another server's responses. It has no graphs. */
export function nodeHttp(samplesFile: string): ServerKind {
  return {
    name: "node:http alone",
    graphs: ownGraphs,
    args: (port) => [here("../node-http.ts"), samplesFile, String(port)],
    folder: here("."),
  };
}

/** Puts the graphs where they resolve the peer's own copy of the library; `false` if the peer isn't installed. */
export function preparePeer(): boolean {
  if (!existsSync(peerCommand)) return false;
  rmSync(peerProject, { recursive: true, force: true });
  cpSync(project, peerProject, { recursive: true });
  return true;
}

/** A server that is ready. */
export interface RunningServer extends AsyncDisposable {
  port: number;
  /** The started process, which may have child processes. */
  pid: number;
  /** From the start of the process to the first 200 from `/ok`. */
  startMilliseconds: number;
}

/** Prevents outbound calls of the peer. */
const environment = {
  ...process.env,
  LANGGRAPH_CLI_NO_ANALYTICS: "1",
  LANGSMITH_TRACING: "false",
  LANGSMITH_ENDPOINT: "http://127.0.0.1:9",
  LANGCHAIN_ENDPOINT: "http://127.0.0.1:9",
};

/** Starts a server and waits until it responds. @throws Error with its output when it exits or takes over a minute */
export async function startServer(kind: ServerKind): Promise<RunningServer> {
  const port = await freePort();
  rmSync(join(peerProject, ".langgraph_api"), { recursive: true, force: true });
  const began = performance.now();
  const child = spawn(process.execPath, kind.args(port), {
    cwd: kind.folder,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: environment,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (piece) => {
      if (output.length < 10_000) output += piece;
    });
  }
  while (!(await isUp(port))) {
    if (child.exitCode !== null || performance.now() - began > 60_000) {
      await stop(child);
      throw new Error(`${kind.name} did not start: ${output}`);
    }
    await wait(5);
  }
  const startMilliseconds = performance.now() - began;
  return { port, pid: child.pid as number, startMilliseconds, [Symbol.asyncDispose]: () => stop(child) };
}

/** Ends a process and its descendants. */
async function stop(child: ChildProcess): Promise<void> {
  const ended = child.exitCode === null && child.signalCode === null ? once(child, "exit") : undefined;
  signal(child, "SIGTERM");
  await Promise.race([ended, wait(2000)]);
  signal(child, "SIGKILL");
  await ended;
}

function signal(child: ChildProcess, name: NodeJS.Signals): void {
  try {
    process.kill(-(child.pid as number), name);
  } catch {
    // The process group has already ended.
  }
}

function isUp(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = get({ host: "127.0.0.1", port, path: "/ok", timeout: 500 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    probe.on("timeout", () => probe.destroy());
    probe.on("error", () => resolve(false));
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
