import type { LogsPage, LogsRequest } from "../../../core/client/wire/revisions.ts";
import { badRequest } from "../../kit/http/http-error.ts";
import type { LogLine } from "./log-lines.ts";

const defaultLimit = 100;

function timeOfBound(value: string | null | undefined, field: string): number | undefined {
  if (value === null || value === undefined) return undefined;
  const time = Date.parse(value);
  if (Number.isNaN(time)) throw badRequest(`${field} is no ISO 8601 time: "${value}".`);
  return time;
}

/**
 * One page of log lines. `start_time` and `end_time` are inclusive, `query` is looked for without regard to case, the order is the oldest
 * first unless `desc` is asked for, and 100 lines are returned unless `limit` says otherwise. Every message goes through `redact`, before anything is
 * looked for in it: a search must not tell what the response hides.
 * @throws {HttpError} 400 for a time or an offset that can't be read.
 */
export function pageOfLog(lines: LogLine[], request: LogsRequest, redact: (text: string) => string): LogsPage {
  const start = timeOfBound(request.start_time, "start_time") ?? Number.NEGATIVE_INFINITY;
  const end = timeOfBound(request.end_time, "end_time") ?? Number.POSITIVE_INFINITY;
  const offset = request.offset ? Number(request.offset) : 0;
  if (!Number.isInteger(offset) || offset < 0) throw badRequest("offset must be the next_offset of the page before.");
  const part = request.query?.toLowerCase();
  const level = request.level?.toUpperCase();
  const found = lines.filter(
    (line) =>
      line.timestamp >= start &&
      line.timestamp <= end &&
      (level === undefined || line.level === level) &&
      (part === undefined || redact(line.message).toLowerCase().includes(part)),
  );
  if (request.order === "desc") found.reverse();
  const next = offset + (request.limit ?? defaultLimit);
  const logs = found.slice(offset, next).map((line) => ({ ...line, message: redact(line.message) }));
  return { logs, next_offset: next < found.length ? String(next) : null };
}
