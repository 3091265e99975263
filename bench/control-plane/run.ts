import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { load, type RequestText, requestText } from "./load.ts";

/**
 * Requests a second of the mock server, of Prism with the description that the mock server serves, and of bare `node:http`, each in a process
 * of its own. For each operation all three are warmed up, and then take short turns, A B C A B C …: a machine that others use as well is slow for
 * one of them no more than for the others. `node bench/control-plane/run.ts`; Prism is measured if `npm install --prefix .cache/prism
 * @stoplight/prism-cli` was run before.
 */
/** In milliseconds. A create is compiled anew until its fourth second. */
const warmUp = 5000;
const turn = 400;
const turns = 10;
/** Each with processes of its own. */
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
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { "x-api-key": "bench" }, ...request });
  return answer.text();
};

/** The mock server's own answers, for the paths of the requests and the bodies of the bare server. */
async function answersOf(port: number) {
  let created = "";
  for (let number = 0; number < 20; number++)
    created = await json(port, "/v2/deployments", createBody(`agent-${number}`));
  const { id, latest_revision_id: revisionId } = JSON.parse(created);
  const revisionPath = `/v2/deployments/${id}/revisions/${revisionId}`;
  const [page, revision] = [await json(port, "/v2/deployments"), await json(port, revisionPath)];
  return { revisionPath, answers: { page, revision, created } };
}

const folder = await mkdtemp(join(tmpdir(), "bench-"));
const description = join(folder, "openapi.json");

type Server = "mock server" | "Prism" | "bare node:http";
/** Requests a second in each turn, by operation and connections. */
const rates = new Map<string, Record<Server, number[]>>();

/** How many requests a second an operation gets through in so many milliseconds. */
async function rateOf(server: Server, port: number, connections: number, text: RequestText, milliseconds: number) {
  const { requests, failures, seconds } = await load(port, connections, text, milliseconds);
  if (failures > 0) process.stderr.write(`${server}: ${failures} failures\n`);
  return requests / seconds;
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
      for (const [server, { port }] of servers) await rateOf(server, port, connections, text, warmUp);
      const key = `${name} | ${connections}`;
      const known = rates.get(key) ?? { "mock server": [], Prism: [], "bare node:http": [] };
      rates.set(key, known);
      for (let count = 0; count < turns; count++) {
        for (const [server, { port }] of servers) {
          known[server].push(await rateOf(server, port, connections, text, turn));
        }
      }
    }
  }
}

try {
  const probe = await start([here("servers/mock.ts")], printedPort);
  await writeFile(description, await json(probe.port, "/openapi.json"));
  const { answers } = await answersOf(probe.port);
  probe.child.kill();
  for (let round = 0; round < rounds; round++) {
    const servers = new Map<Server, Running>();
    servers.set("mock server", await start([here("servers/mock.ts")], printedPort));
    const { revisionPath } = await answersOf((servers.get("mock server") as Running).port);
    if (existsSync(prismFile)) {
      const port = 4010 + round;
      const isReady = (output: string) => (output.includes("is listening") ? port : undefined);
      servers.set("Prism", await start([prismFile, "mock", "-p", String(port), description], isReady));
    }
    servers.set("bare node:http", await start([here("servers/bare.ts"), JSON.stringify(answers)], printedPort));
    await measure(servers, revisionPath);
    for (const { child } of servers.values()) child.kill();
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}

const quantile = (values: readonly number[], part: number) =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * part)] ?? Number.NaN;
const percent = (ratio: number) => `${Math.round(ratio * 100)} %`;
const rows = [...rates].map(([key, { "mock server": ours, Prism: prism, "bare node:http": bare }]) => {
  const cells = [ours, prism, bare].map((values) => Math.round(quantile(values, 0.5)).toLocaleString("en"));
  const ratios = ours.map((rate, index) => rate / (bare[index] as number));
  const ofPrism = `${(quantile(ours, 0.5) / quantile(prism, 0.5)).toFixed(1)} ×`;
  const spread = `${percent(quantile(ratios, 0.25))} to ${percent(quantile(ratios, 0.75))}`;
  return `| ${[key, ...cells, ofPrism, percent(quantile(ratios, 0.5)), spread].join(" | ")} |`;
});
process.stdout.write(
  [
    `Machine: ${cpus().length} cores, ${process.platform} ${process.arch}, Node.js ${process.version}. Requests a second, and the shares of the same turn: medians of ${rounds * turns} turns.`,
    "",
    "| operation | connections | mock server | Prism | bare node:http | of Prism | of bare | middle half |",
    "|---|---|---|---|---|---|---|---|",
    ...rows,
    "",
  ].join("\n"),
);
