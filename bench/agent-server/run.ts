import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { memoryOf } from "./process-tree.ts";
import { type Row, rows, smallRequests, takeSamples } from "./rows.ts";
import {
  compiled,
  nodeHttp,
  peer,
  preparePeer,
  type RunningServer,
  type ServerKind,
  scripted,
  startServer,
} from "./servers.ts";
import { median } from "./streams.ts";
import { reachedTable, resultTable } from "./tables.ts";

/**
 * Measures the agent server of the built package, with scripted and with compiled graphs, against
 * `@langchain/langgraph-api`, and small requests also against bare `node:http`. Each runs in its own processes, in the
 * order A B C A B C. Run `node bench/agent-server/run.ts [rounds]` after `npm run build`. The peer is measured only
 * after `npm install --prefix .cache/langgraph-api @langchain/langgraph-cli@1.5.1 @langchain/langgraph-api@1.5.1
 * @langchain/langgraph@1.7.3 @langchain/core@1.4.0`.
 */
const rounds = Number(process.argv[2] ?? 2);
const starts = 5;
const manyWorkers = peer(64);
const candidates = preparePeer() ? [scripted, compiled, peer(10), manyWorkers] : [scripted, compiled];
const figures = new Map<string, number>();

function keep(row: Pick<Row, "name" | "unit" | "better">, server: string, value: number): void {
  const key = `${row.name}\t${row.unit}\t${server}`;
  const known = figures.get(key);
  figures.set(key, known === undefined ? value : Math[row.better === "higher" ? "max" : "min"](known, value));
}

async function measureStarts(kind: ServerKind): Promise<void> {
  const times: number[] = [];
  for (let start = 0; start < starts; start++) {
    await using server = await startServer(kind);
    times.push(server.startMilliseconds);
    if (start < starts - 1) continue;
    await wait(5000);
    const { resident, proportional } = memoryOf(server.pid);
    keep({ name: "idle memory, shared pages by their share", unit: "MiB", better: "lower" }, kind.name, proportional);
    keep({ name: "idle memory, resident", unit: "MiB", better: "lower" }, kind.name, resident);
  }
  keep({ name: `start to /ok, median of ${starts}`, unit: "ms", better: "lower" }, kind.name, median(times));
}

async function measureRows(
  server: RunningServer,
  { name, graphs }: ServerKind,
  measured: readonly Row[] = rows,
): Promise<void> {
  for (const row of measured) {
    try {
      keep(row, name, await row.measure(server.port, graphs));
    } catch (error) {
      process.stderr.write(`${name}: ${row.name}: ${(error as Error).message}\n`);
    }
  }
}

const kinds: ServerKind[] = [];
for (const kind of candidates) {
  try {
    if (kind !== manyWorkers) await measureStarts(kind);
    kinds.push(kind);
  } catch (error) {
    process.stderr.write(`Left out: ${(error as Error).message}\n`);
  }
}
const folder = mkdtempSync(join(tmpdir(), "bench-"));
const samplesFile = join(folder, "samples.json");
const bare = nodeHttp(samplesFile);
{
  await using server = await startServer(scripted);
  writeFileSync(samplesFile, JSON.stringify(await takeSamples(server.port)));
}
for (let round = 0; round < rounds; round++) {
  for (const kind of kinds) {
    await using server = await startServer(kind);
    await measureRows(server, kind);
  }
  {
    await using server = await startServer(bare);
    await measureRows(server, bare, smallRequests);
  }
  const inProcess = JSON.parse(
    execFileSync(process.execPath, [fileURLToPath(new URL("in-process.ts", import.meta.url))], { encoding: "utf8" }),
  ) as { invoke: number; rate: number };
  keep({ name: "POST /runs/wait, 1 at once", unit: "ms, median", better: "lower" }, "in process", inProcess.invoke);
  keep({ name: "one stream of 20,000 events", unit: "events/s", better: "higher" }, "in process", inProcess.rate);
}

rmSync(folder, { recursive: true });

const servers = [...kinds.map(({ name }) => name), bare.name, "in process"];
process.stdout.write(
  [
    `Machine: ${cpus().length} cores, ${process.platform} ${process.arch}, Node.js ${process.version}. The better of ${rounds} rounds.`,
    "",
    resultTable(figures, servers),
    "",
    reachedTable(figures),
    "",
  ].join("\n"),
);
