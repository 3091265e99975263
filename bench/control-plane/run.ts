import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Sample } from "../node-http.ts";
import { load, type RequestText, requestText } from "./load.ts";

/**
 * Compares requests to the mock server, to Prism with the description that the mock server serves, and to bare
 * `node:http`, each in its own process. Each operation is warmed up on all servers, which then take short turns, A B C
 * A B C …, so that other load on the machine affects all of them equally. Run `node bench/control-plane/run.ts`. Prism
 * is measured only after `npm install --prefix .cache/prism @stoplight/prism-cli`.
 */
/** In milliseconds. V8 recompiles creates until the fourth second. */
const warmUp = 5000;
const turn = 400;
const turns = 10;
/** Number of rounds, each with new processes. */
const rounds = 2;
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const prismFile = here("../../.cache/prism/node_modules/@stoplight/prism-cli/dist/index.js");

const createBody = (name: string) =>
  JSON.stringify({
    name,
    source: "github",
    source_config: { integration_id: null, repo_url: "https://github.com/acme/agents", build_on_push: false },
    source_revision_config: { repo_ref: "main", langgraph_config_path: "graph.json" },
    secrets: [{ name: "TOKEN", value: "value" }],
  });

interface Running {
  port: number;
  child: ChildProcess;
}

function start(args: readonly string[], portOf: (output: string) => number | undefined): Promise<Running> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] });
    let output = "";
    child.stdout?.on("data", (piece) => {
      output += piece;
      const port = portOf(output);
      if (port !== undefined) resolve({ port, child });
    });
    child.once("error", reject);
    child.once("exit", () => reject(new Error(`${args[0]} ended: ${output}`)));
  });
}

const printedPort = (output: string) => (/^\d+\n/.test(output) ? Number.parseInt(output, 10) : undefined);
const json = async (port: number, path: string, body?: string) => {
  const request = body === undefined ? {} : { method: "POST", body };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { "x-api-key": "bench" }, ...request });
  return response.text();
};

/** Creates twenty deployments and returns the path of a revision. */
async function fill(port: number): Promise<string> {
  let created = "";
  for (let number = 0; number < 20; number++) {
    created = await json(port, "/v2/deployments", createBody(`agent-${number}`));
  }
  const { id, latest_revision_id: revisionId } = JSON.parse(created);
  return `/v2/deployments/${id}/revisions/${revisionId}`;
}

const folder = await mkdtemp(join(tmpdir(), "bench-"));
const description = join(folder, "openapi.json");
const samplesFile = join(folder, "samples.json");

type Server = "mock server" | "Prism" | "node:http";

interface Turn {
  /** Requests a second. */
  rate: number;
  /** Median time of one request, in milliseconds. */
  median: number;
}

/** The mock server's responses to the measured requests. */
async function takeSamples(port: number, revisionPath: string): Promise<Sample[]> {
  const parsed = async (path: string) => JSON.parse(await json(port, path));
  const path = "/v2/deployments";
  const { resources } = await parsed(path);
  return [
    { method: "GET", path, isWrite: false, objects: resources },
    { method: "GET", path: revisionPath, isWrite: false, objects: [await parsed(revisionPath)] },
    { method: "POST", path, isWrite: true, objects: resources.slice(0, 1) },
  ];
}

/** The results of each turn, by operation and number of connections. */
const results = new Map<string, Record<Server, Turn[]>>();

async function takeTurn(
  server: Server,
  port: number,
  connections: number,
  text: RequestText,
  milliseconds: number,
): Promise<Turn> {
  const { requests, failures, seconds, medianMicroseconds } = await load(port, connections, text, milliseconds);
  if (failures > 0) process.stderr.write(`${server}: ${failures} failures\n`);
  return { rate: requests / seconds, median: medianMicroseconds / 1000 };
}

async function measure(servers: Map<Server, Running>, revisionPath: string): Promise<void> {
  const host = "127.0.0.1";
  let creations = 0;
  const operations: Record<string, RequestText> = {
    "list page": () => requestText("GET", "/v2/deployments", host),
    "get revision": () => requestText("GET", revisionPath, host),
    create: () => requestText("POST", "/v2/deployments", host, createBody(`made-${creations++}`)),
  };
  for (const connections of [1, 32]) {
    for (const [name, text] of Object.entries(operations)) {
      for (const [server, { port }] of servers) await takeTurn(server, port, connections, text, warmUp);
      const key = `${name} | ${connections}`;
      const known = results.get(key) ?? { "mock server": [], Prism: [], "node:http": [] };
      results.set(key, known);
      for (let count = 0; count < turns; count++) {
        for (const [server, { port }] of servers) {
          known[server].push(await takeTurn(server, port, connections, text, turn));
        }
      }
    }
  }
}

try {
  const probe = await start([here("servers/mock.ts")], printedPort);
  await writeFile(description, await json(probe.port, "/openapi.json"));
  probe.child.kill();
  for (let round = 0; round < rounds; round++) {
    const servers = new Map<Server, Running>();
    servers.set("mock server", await start([here("servers/mock.ts")], printedPort));
    const { port: ownPort } = servers.get("mock server") as Running;
    const revisionPath = await fill(ownPort);
    await writeFile(samplesFile, JSON.stringify(await takeSamples(ownPort, revisionPath)));
    servers.set("node:http", await start([here("../node-http.ts"), samplesFile], printedPort));
    if (existsSync(prismFile)) {
      const port = 4010 + round;
      const isReady = (output: string) => (output.includes("is listening") ? port : undefined);
      servers.set("Prism", await start([prismFile, "mock", "-p", String(port), description], isReady));
    }
    await measure(servers, revisionPath);
    for (const { child } of servers.values()) child.kill();
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
const rows = [...results].map(([key, { "mock server": ours, Prism: prism, "node:http": bare }]) => {
  const rates = [ours, prism, bare].map((taken) => median(taken.map((one) => one.rate)));
  const times = [ours, prism].map((taken) => median(taken.map((one) => one.median)).toFixed(2));
  const shown = rates.map((value) => Math.round(value).toLocaleString("en"));
  const [rate = Number.NaN, other = Number.NaN] = rates;
  return `| ${[key, ...shown, `${(rate / other).toFixed(1)} ×`, ...times].join(" | ")} |`;
});
process.stdout.write(
  [
    `Machine: ${cpus().length} cores, ${process.platform} ${process.arch}, Node.js ${process.version}. Medians of ${rounds * turns} turns.`,
    "",
    "| operation | connections | mock server, requests/s | Prism, requests/s | node:http alone, requests/s | of Prism | mock server, p50 in ms | Prism, p50 in ms |",
    "|---|---|---|---|---|---|---|---|",
    ...rows,
    "",
  ].join("\n"),
);
