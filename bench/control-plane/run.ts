import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { load, requestText } from "./load.ts";

/**
 * Requests a second of the mock server, of Prism with the description that the mock server serves, and of bare `node:http`, each in a process
 * of its own, in the order A B C, three times. `node bench/control-plane/run.ts`; Prism is measured if `npm install --prefix .cache/prism
 * @stoplight/prism-cli` was run before.
 */
const measured = 2000;
/** A create is compiled anew until its fourth second. */
const warmUp = 5000;
const rounds = 3;
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
const results = new Map<string, number[]>();

async function measure(server: string, running: Running, revisionPath: string, round: number): Promise<void> {
  const host = `127.0.0.1:${running.port}`;
  const loads = {
    "list page": () => requestText("GET", "/v2/deployments", host),
    "get revision": () => requestText("GET", revisionPath, host),
    create: (connections: number) => (number: number) =>
      requestText("POST", "/v2/deployments", host, createBody(`r${round}-${connections}-${number}`)),
  };
  for (const connections of [1, 32]) {
    for (const [name, make] of Object.entries(loads)) {
      const text = name === "create" ? loads.create(connections) : (make as () => string);
      await load(running.port, connections, (number) => text(number), warmUp);
      const offset = 1_000_000;
      const { requests, failures, seconds } = await load(
        running.port,
        connections,
        (number) => text(number + offset),
        measured,
      );
      if (failures > 0) process.stderr.write(`${server}, ${name}: ${failures} failures\n`);
      const key = `${name}\t${connections}\t${server}`;
      results.set(key, [...(results.get(key) ?? []), requests / seconds]);
    }
  }
}

try {
  const probe = await start([here("servers/mock.ts")], printedPort);
  await writeFile(description, await json(probe.port, "/openapi.json"));
  const { answers } = await answersOf(probe.port);
  probe.child.kill();
  for (let round = 0; round < rounds; round++) {
    const mock = await start([here("servers/mock.ts")], printedPort);
    const { revisionPath } = await answersOf(mock.port);
    await measure("mock server", mock, revisionPath, round);
    mock.child.kill();
    if (existsSync(prismFile)) {
      const port = 4010 + round;
      const prism = await start([prismFile, "mock", "-p", String(port), description], (output) =>
        output.includes("is listening") ? port : undefined,
      );
      await measure("Prism", prism, revisionPath, round);
      prism.child.kill();
    }
    const bare = await start([here("servers/bare.ts"), JSON.stringify(answers)], printedPort);
    await measure("bare node:http", bare, revisionPath, round);
    bare.child.kill();
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}

const best = (key: string) => Math.max(...(results.get(key) ?? [Number.NaN]));
const rows = [...new Set([...results.keys()].map((key) => key.split("\t").slice(0, 2).join("\t")))].map((key) => {
  const [ours, prism, bare] = ["mock server", "Prism", "bare node:http"].map((server) => best(`${key}\t${server}`));
  const cells = [ours, prism, bare].map((value) => Math.round(value as number).toLocaleString("en"));
  const factors = [
    `${((ours as number) / (prism as number)).toFixed(1)} ×`,
    `${Math.round(((ours as number) / (bare as number)) * 100)} %`,
  ];
  return `| ${[...key.split("\t"), ...cells, ...factors].join(" | ")} |`;
});
process.stdout.write(
  [
    `Machine: ${cpus().length} cores, ${process.platform} ${process.arch}, Node.js ${process.version}. Requests a second, the best of three rounds.`,
    "",
    "| operation | connections | mock server | Prism | bare node:http | of Prism | of bare |",
    "|---|---|---|---|---|---|---|",
    ...rows,
    "",
  ].join("\n"),
);
