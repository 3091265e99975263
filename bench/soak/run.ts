import { fork } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { cpus } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/**
 * Ten minutes of mixed load on one server: streams that clients read to the end, slowly, or not at all; runs that are
 * cancelled; clients that disconnect; deployments that are created and deleted. Every minute, prints the server's
 * memory use and open sockets after a forced garbage collection. `node bench/soak/run.ts [minutes]`
 */
const minutes = Number(process.argv[2] ?? 10);
const child = fork(fileURLToPath(new URL("server.ts", import.meta.url)), { execArgv: ["--expose-gc"] });
const [{ url }] = (await once(child, "message")) as [{ url: string }];
const { port } = new URL(url);

async function api(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
  return fetch(url + path, {
    method,
    headers: { "x-api-key": "soak", "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  });
}

const deploymentBody = (name: string) => ({
  name,
  source: "github",
  source_config: { integration_id: null, repo_url: "https://github.com/acme/agents", build_on_push: false },
  source_revision_config: { repo_ref: "main", langgraph_config_path: "graph.json" },
  secrets: [],
});
const { id } = (await (await api("POST", "/v2/deployments", deploymentBody("soaked"))).json()) as { id: string };
const agent = `/agents/${id}`;
const burst = { assistant_id: "burst", input: { n: 500 }, stream_mode: ["custom"] };

let requests = 0;
let isOver = false;

/** What one client repeats. A thread lives for one turn, so that the stored data doesn't grow. */
const clients: Record<string, (turn: number) => Promise<void>> = {
  async "reads a stream"() {
    await (await api("POST", `${agent}/runs/stream`, burst)).text();
  },
  async "reads a resumable stream of a thread twice"() {
    const { thread_id: thread } = (await (await api("POST", `${agent}/threads`, {})).json()) as { thread_id: string };
    const path = `${agent}/threads/${thread}`;
    const response = await api("POST", `${path}/runs/stream`, { ...burst, stream_resumable: true });
    await response.text();
    await (await api("GET", `${agent}${response.headers.get("location")}`)).text();
    await api("DELETE", path);
  },
  async "disconnects in mid-stream"() {
    const controller = new AbortController();
    const response = await api("POST", `${agent}/runs/stream`, burst, controller.signal);
    await response.body?.getReader().read();
    controller.abort();
  },
  async "cancels a run"() {
    const { thread_id: thread } = (await (await api("POST", `${agent}/threads`, {})).json()) as { thread_id: string };
    const path = `${agent}/threads/${thread}`;
    const body = { assistant_id: "delay", input: { ms: 60_000 } };
    const { run_id: run } = (await (await api("POST", `${path}/runs`, body)).json()) as { run_id: string };
    await api("POST", `${path}/runs/${run}/cancel?wait=1`);
    await api("DELETE", path);
  },
  async "reads slowly, and gives up"() {
    const socket = connect(Number(port), "127.0.0.1").pause();
    socket.on("error", () => undefined);
    const body = JSON.stringify({ ...burst, input: { n: 20_000 } });
    const head = `POST ${agent}/runs/stream HTTP/1.1\r\nhost: here\r\nx-api-key: soak\r\ncontent-length: ${body.length}`;
    socket.write(`${head}\r\n\r\n${body}`);
    await wait(500);
    socket.destroy();
  },
  async "deploys and deletes"(turn) {
    const made = (await (await api("POST", "/v2/deployments", deploymentBody(`agent-${turn}`))).json()) as {
      id: string;
    };
    await api("GET", "/v2/deployments?limit=50");
    await api("POST", `/agents/${made.id}/runs/wait`, { assistant_id: "chat", input: { messages: [] } });
    await api("DELETE", `/v2/deployments/${made.id}`);
  },
};

async function run(client: (turn: number) => Promise<void>): Promise<void> {
  for (let turn = 0; !isOver; turn++) {
    await client(turn);
    requests++;
    await wait(5);
  }
}

interface Held {
  heapUsed: number;
  arrayBuffers: number;
  rss: number;
  sockets: number;
}

async function held(): Promise<Held> {
  child.send("measure");
  return ((await once(child, "message")) as [Held])[0];
}

const mebibytes = (bytes: number) => (bytes / 1024 / 1024).toFixed(1);
process.stdout.write(`${cpus().length} cores, ${process.platform} ${process.arch}, Node.js ${process.version}\n\n`);
process.stdout.write(
  "| minute | turns | heap, MiB | array buffers, MiB | resident, MiB | sockets |\n|---|---|---|---|---|---|\n",
);
const load = Promise.all(Object.values(clients).map(run));
const heaps: number[] = [];
for (let minute = 1; minute <= minutes; minute++) {
  await Promise.race([wait(60_000), load]);
  const { heapUsed, arrayBuffers, rss, sockets } = await held();
  heaps.push(heapUsed);
  process.stdout.write(
    `| ${minute} | ${requests} | ${mebibytes(heapUsed)} | ${mebibytes(arrayBuffers)} | ${mebibytes(rss)} | ${sockets} |\n`,
  );
}
isOver = true;
await load;
// Idle connections are closed after five seconds.
await wait(7_000);
const { heapUsed, sockets } = await held();
const ratio = ((heaps.at(-1) as number) / (heaps[1] as number)).toFixed(2);
process.stdout.write(
  `\nHeap at the last minute: ${ratio} times that of minute 2. Afterwards: ${mebibytes(heapUsed)} MiB, ${sockets} socket(s), the listening one included.\n`,
);
child.send("close");
const [code] = await once(child, "exit");
process.stdout.write(`The server ended by itself when it was closed, with ${code}: nothing was left that kept it.\n`);
