import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { request } from "node:http";
import { cpus } from "node:os";
import { WebSocket } from "ws";
import { memoryOf } from "../agent-server/process-tree.ts";
import { compiled, peer, preparePeer, type ServerKind, scripted, startServer } from "../agent-server/servers.ts";

/**
 * Many subscribers of one run: each gets all of its events, in order. Prints the time from the command that starts the
 * run to the last event of the last subscriber, and the server's memory, against `@langchain/langgraph-api`. Run
 * `node bench/event-streaming/run.ts [rounds] [subscribers] [events]` after `npm run build`; the servers alternate, and
 * the better of the rounds counts. The peer is installed as `bench/agent-server/run.ts` says.
 */
const [rounds = 2, subscribers = 500, events = 1000] = process.argv.slice(2).map(Number);

/** How long the last event may take, in milliseconds. */
const deadlineMs = 120_000;

type Transport = "WebSocket" | "SSE";

/** Counts the events of one subscriber, and how many of them come out of order. */
class Subscriber {
  received = 0;
  outOfOrder = 0;
  readonly done: Promise<void>;
  #resolve = () => {};
  #rest = "";

  constructor() {
    this.done = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  take(text: string): void {
    const whole = this.#rest + text;
    let end = 0;
    for (const { index, 0: found, 1: number } of whole.matchAll(/"payload":\{"i":(\d+)[,}]/g)) {
      if (Number(number) !== this.received) this.outOfOrder++;
      this.received++;
      end = index + found.length;
    }
    this.#rest = whole.slice(Math.max(end, whole.length - 64));
    if (this.received === events) this.#resolve();
  }
}

const filter = { channels: ["custom", "lifecycle"] };

async function overSocket(port: number, threadId: string, subscriber: Subscriber): Promise<() => void> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/threads/${threadId}/stream/events`);
  await once(socket, "open");
  socket.on("message", (data) => subscriber.take(String(data)));
  socket.on("error", () => undefined);
  socket.send(JSON.stringify({ id: 1, method: "subscription.subscribe", params: filter }));
  return () => socket.terminate();
}

async function overHttp(port: number, threadId: string, subscriber: Subscriber): Promise<() => void> {
  const headers = { "content-type": "application/json" };
  const path = `/threads/${threadId}/stream/events`;
  const outgoing = request({ host: "127.0.0.1", port, path, method: "POST", headers, agent: false });
  outgoing.on("error", () => undefined).end(JSON.stringify(filter));
  const [response] = await once(outgoing, "response");
  response.setEncoding("utf8").on("data", (text: string) => subscriber.take(text));
  response.on("error", () => undefined);
  return () => outgoing.destroy();
}

interface Measured {
  milliseconds: number;
  complete: number;
  outOfOrder: number;
  idleMiB: number;
  peakMiB: number;
}

async function measure(kind: ServerKind, transport: Transport): Promise<Measured> {
  await using server = await startServer(kind);
  const threadId = randomUUID();
  const all = Array.from({ length: subscribers }, () => new Subscriber());
  const subscribe = transport === "SSE" ? overHttp : overSocket;
  const leaving: (() => void)[] = [];
  for (const one of all) leaving.push(await subscribe(server.port, threadId, one));
  const idleMiB = memoryOf(server.pid).resident;
  let peakMiB = idleMiB;
  const sampling = setInterval(() => {
    peakMiB = Math.max(peakMiB, memoryOf(server.pid).resident);
  }, 100);
  const began = performance.now();
  await fetch(`http://127.0.0.1:${server.port}/threads/${threadId}/commands`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      id: 1,
      method: "run.start",
      params: { assistant_id: kind.graphs.burst, input: { n: events } },
    }),
  });
  const timer = new AbortController();
  const late = new Promise<void>((resolve) => {
    const timeout = setTimeout(resolve, deadlineMs);
    timer.signal.addEventListener("abort", () => clearTimeout(timeout));
  });
  await Promise.race([Promise.all(all.map(({ done }) => done)), late]);
  const milliseconds = performance.now() - began;
  timer.abort();
  clearInterval(sampling);
  for (const leave of leaving) leave();
  return {
    milliseconds,
    complete: all.filter(({ received }) => received === events).length,
    outOfOrder: all.reduce((sum, one) => sum + one.outOfOrder, 0),
    idleMiB,
    peakMiB,
  };
}

const kinds = preparePeer() ? [scripted, compiled, peer(10)] : [scripted, compiled];
// The peer sends the events of a thread to its last WebSocket only.
const candidates = kinds.flatMap((kind) =>
  (["WebSocket", "SSE"] as const)
    .filter((transport) => transport === "SSE" || !kind.name.startsWith("peer"))
    .map((transport) => ({ kind, transport, best: undefined as Measured | undefined })),
);
for (let round = 0; round < rounds; round++) {
  for (const candidate of candidates) {
    const measured = await measure(candidate.kind, candidate.transport);
    const { best } = candidate;
    if (!best || measured.milliseconds < best.milliseconds) candidate.best = measured;
  }
}
const lines = candidates.map(({ kind, transport, best }) => {
  const { milliseconds, complete, outOfOrder, idleMiB, peakMiB } = best as Measured;
  const rate = Math.round((complete * events) / (milliseconds / 1000)).toLocaleString("en");
  const memory = `${idleMiB.toFixed(0)} | ${peakMiB.toFixed(0)}`;
  return `| ${kind.name} | ${transport} | ${milliseconds.toFixed(0)} | ${rate} | ${complete} | ${outOfOrder} | ${memory} |`;
});
process.stdout.write(
  [
    `Machine: ${cpus().length} cores, ${process.platform} ${process.arch}, Node.js ${process.version}. The better of ${rounds} rounds.`,
    "",
    "| server | transport | ms to the last event | events/s | complete | out of order | MiB before | MiB at most |",
    "|---|---|---|---|---|---|---|---|",
    ...lines,
    "",
  ].join("\n"),
);
