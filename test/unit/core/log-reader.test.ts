import { expect, test } from "vitest";
import type { ControlPlane } from "../../../core/client/client.ts";
import type { LogEntry, LogsRequest } from "../../../core/client/wire/revisions.ts";
import { LogReader } from "../../../core/rollout/log-reader.ts";

/** A client of a platform with one log, whose offsets count from the start time. */
function clientOf(log: readonly LogEntry[]) {
  const buildLogs = async (_deployment: string, _revision: string, { start_time, limit, offset }: LogsRequest) => {
    const start = start_time === undefined || start_time === null ? 0 : Date.parse(start_time);
    const found = log.filter(({ timestamp }) => Number(timestamp) >= start);
    const first = Number(offset ?? 0);
    const next = first + (limit ?? 100);
    return { logs: found.slice(first, next), next_offset: next < found.length ? String(next) : null };
  };
  return { revisions: { buildLogs } } as unknown as ControlPlane;
}

const line = (index: number): LogEntry => ({ timestamp: 1_000 * index, message: `line ${index}` });

test("a log of several pages is read once, also while it grows", async () => {
  const log = Array.from({ length: 1_234 }, (_, index) => line(index));
  const reader = new LogReader(clientOf(log), { kind: "build", deploymentId: "d", revisionId: "r" });
  const read: string[] = [];
  const onEntries = (entries: readonly LogEntry[]) => read.push(...entries.map(({ message }) => message));
  expect(await reader.read(onEntries)).toBe(false);
  expect(read).toEqual(log.map(({ message }) => message));
  log.push(line(1_234));
  await reader.read(onEntries);
  expect(read).toEqual(log.map(({ message }) => message));
});

test("lines from before `since` are left out", async () => {
  const log = [line(1), line(2), line(3)];
  const since = new Date(2_000).toISOString();
  const reader = new LogReader(clientOf(log), { kind: "build", deploymentId: "d", revisionId: "r", since });
  const read: string[] = [];
  await reader.read((entries) => read.push(...entries.map(({ message }) => message)));
  expect(read).toEqual(["line 2", "line 3"]);
});
