import { cpus } from "node:os";
import { startDevServer } from "../../mock-server/dev-server.ts";
import { load, requestText } from "../control-plane/load.ts";

/**
 * Compares searches with 100 threads and with 100,000: `node bench/agent-server/many-threads.ts`. Prints the median and
 * the 95th percentile of one request on one connection, in milliseconds, from the best of several rounds. The two
 * servers alternate for each operation.
 */
const rounds = 3;
const sizes = [100, 100_000];

interface Filled {
  port: number;
  host: string;
  threadId: string;
  close(): Promise<void>;
}

async function fill(size: number): Promise<Filled> {
  const dev = await startDevServer(0);
  const { port, host } = { port: Number(new URL(dev.url).port), host: new URL(dev.url).host };
  const body = (number: number) => {
    const metadata = {
      owner: `user-${number % 50}`,
      number,
      nested: { team: `team-${number % 10}` },
      tags: [`tag-${number % 7}`],
    };
    const values = { count: number, nested: { of: number % 10 }, items: [{ name: `item-${number % 5}` }] };
    const isOdd = number % 10 === 0;
    const supersteps = [{ updates: [{ values, as_node: "respond" }] }];
    return isOdd ? { metadata: { ...metadata, graph_id: "chat" }, supersteps } : { metadata };
  };
  await load(port, 8, (number) => requestText("POST", "/threads", host, JSON.stringify(body(number))), 3_600_000, size);
  const response = await fetch(`${dev.url}/threads/search`, {
    method: "POST",
    body: JSON.stringify({ limit: 1, offset: size / 2 }),
  });
  const [{ thread_id: threadId }] = (await response.json()) as [{ thread_id: string }];
  return { port, host, threadId, close: () => dev.close() };
}

const search = (body: object) => ({ method: "POST", path: "/threads/search", body });
const operations: [name: string, request: (server: Filled) => { method: string; path: string; body?: object }][] = [
  ["get a thread", ({ threadId }) => ({ method: "GET", path: `/threads/${threadId}` })],
  ["create a thread", () => ({ method: "POST", path: "/threads", body: { metadata: { owner: "somebody" } } })],
  ["first page", () => search({ limit: 10 })],
  ["first page by updated_at", () => search({ limit: 10, sort_by: "updated_at" })],
  ["by ids", ({ threadId }) => search({ ids: [threadId] })],
  ["by status", () => search({ status: "idle", limit: 10 })],
  ["by a status that none has", () => search({ status: "error", limit: 10 })],
  ["by a metadata field", () => search({ metadata: { owner: "user-7" }, limit: 10 })],
  ["by a metadata field that one has", () => search({ metadata: { number: 77 }, limit: 10 })],
  ["by nested metadata", () => search({ metadata: { nested: { team: "team-3" } }, limit: 10 })],
  ["by a list in the metadata", () => search({ metadata: { tags: ["tag-3"] }, limit: 10 })],
  ["count", () => ({ method: "POST", path: "/threads/count", body: {} })],
  [
    "count by a metadata field",
    () => ({ method: "POST", path: "/threads/count", body: { metadata: { owner: "user-7" } } }),
  ],
  [
    "count by nested metadata",
    () => ({ method: "POST", path: "/threads/count", body: { metadata: { nested: { team: "team-3" } } } }),
  ],
];

const servers: Filled[] = [];
for (const size of sizes) servers.push(await fill(size));
const times = new Map<string, { median: number; p95: number }[]>();
for (let round = 0; round < rounds; round++) {
  for (const [name, requestOf] of operations) {
    const known =
      times.get(name) ?? servers.map(() => ({ median: Number.POSITIVE_INFINITY, p95: Number.POSITIVE_INFINITY }));
    for (const [side, server] of servers.entries()) {
      const { method, path, body } = requestOf(server);
      const text = requestText(method, path, server.host, body && JSON.stringify(body));
      await load(server.port, 1, () => text, 60_000, 30);
      const { medianMicroseconds, p95Microseconds, failures } = await load(server.port, 1, () => text, 60_000, 150);
      if (failures > 0) process.stderr.write(`${name}: ${failures} were refused\n`);
      const before = known[side] as { median: number; p95: number };
      known[side] = {
        median: Math.min(before.median, medianMicroseconds / 1000),
        p95: Math.min(before.p95, p95Microseconds / 1000),
      };
    }
    times.set(name, known);
  }
}
await Promise.all(servers.map(({ close }) => close()));
const heads = sizes.map((size) => `${size.toLocaleString("en")} threads, p50 | p95`);
process.stdout.write(
  [
    `Machine: ${cpus().length} cores, ${process.platform} ${process.arch}, Node.js ${process.version}.`,
    "",
    `| operation | ${heads.join(" | ")} |`,
    `|---|${sizes.map(() => "---|---").join("|")}|`,
    ...[...times].map(
      ([name, sides]) =>
        `| ${[name, ...sides.flatMap(({ median, p95 }) => [median.toFixed(2), p95.toFixed(2)])].join(" | ")} |`,
    ),
    "",
  ].join("\n"),
);
