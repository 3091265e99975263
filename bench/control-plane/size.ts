import { cpus } from "node:os";
import { fillAuth } from "./filled-auth.ts";
import { type FilledStore, fillStore } from "./filled-store.ts";
import { load, requestText } from "./load.ts";
import { type MeasuredOperation, measuredOperations, removeTemporary } from "./size-operations.ts";

/**
 * Compares operations with 10 deployments and with 10,000, each with ten revisions: `node bench/control-plane/size.ts`.
 * Prints the median and the 95th percentile of one request on one connection, in milliseconds, from the best of several
 * rounds. The two stores alternate for each operation. An argument selects the operations whose names contain it.
 */
const rounds = 3;
const [wanted = ""] = process.argv.slice(2);

/** The auth service's identifier for the sender of `load`'s requests. */
async function callerOf({ mock, port, host }: FilledStore): Promise<string> {
  await load(
    port,
    1,
    () => requestText("POST", "/v2/auth/authenticate", host, '{"provider":"provider-1","scopes":[]}'),
    60_000,
    1,
  );
  const { content } = await mock.snapshot.get();
  return String(content.collections.authSessions[0]?.createdBy ?? "");
}

interface Times {
  median: number;
  p95: number;
}

async function measure({ port, mock }: FilledStore, operation: MeasuredOperation): Promise<Times> {
  const { name, text, prepare, count = 900, isRefused = false } = operation;
  const before = Math.round(count / 3);
  await prepare?.(count + before);
  await load(port, 1, text, 60_000, before);
  const { medianMicroseconds, p95Microseconds, failures } = await load(port, 1, text, 60_000, count);
  if (failures !== (isRefused ? count : 0)) {
    process.stderr.write(`${name}: ${failures} of ${count} were refused\n`);
    process.stderr.write(`${JSON.stringify(mock.requests().at(-1)?.response.body)}\n`);
  }
  return { median: medianMicroseconds / 1000, p95: p95Microseconds / 1000 };
}

const stores = [await fillStore(10), await fillStore(10_000)] as const;
const operations = await Promise.all(
  stores.map(async (store) => {
    await fillAuth(store);
    return measuredOperations(store, await callerOf(store));
  }),
);
const times = new Map<string, Times[]>();
for (let round = 0; round < rounds; round++) {
  for (const [index, { name }] of (operations[0] ?? []).entries()) {
    if (!name.includes(wanted)) continue;
    const worst = { median: Number.POSITIVE_INFINITY, p95: Number.POSITIVE_INFINITY };
    const known = times.get(name) ?? [worst, worst];
    for (const [side, store] of stores.entries()) {
      const operation = operations[side]?.[index] as MeasuredOperation;
      const taken = await measure(store, operation);
      const before = known[side] as Times;
      known[side] = { median: Math.min(before.median, taken.median), p95: Math.min(before.p95, taken.p95) };
      await removeTemporary(store);
    }
    times.set(name, known);
  }
}
const lines = [...times].map(([name, sides]) => {
  const cells = sides.flatMap(({ median, p95 }) => [median.toFixed(2), p95.toFixed(2)]);
  return `| ${[name, ...cells].join(" | ")} |`;
});
process.stdout.write(
  [
    `Machine: ${cpus().length} cores, ${process.platform} ${process.arch}, Node.js ${process.version}.`,
    "",
    "| operation | 10 deployments, p50 | p95 | 10,000 deployments, p50 | p95 |",
    "|---|---|---|---|---|",
    ...lines,
    "",
  ].join("\n"),
);
await Promise.all(stores.map(({ mock }) => mock.close()));
