import type { LogsPage, LogsRequest } from "../../../core/client/wire/revisions.ts";
import { badRequest } from "../../kit/http/http-error.ts";
import type { LogLine } from "./log-lines.ts";

const defaultLimit = 100;

function timeOfBound(value: string | null | undefined, field: string): number | undefined {
  if (value === null || value === undefined) return undefined;
  const time = Date.parse(value);
  if (Number.isNaN(time)) throw badRequest(`${field} isn't an ISO 8601 time: "${value}".`);
  return time;
}

/**
 * A page of log lines. `start_time` and `end_time` are inclusive, `query` is case-insensitive, the default order is
 * oldest first, and the default `limit` is 100. Messages are redacted before they are searched, so that a search can't
 * reveal what the response hides.
 * @throws {HttpError} 400 for an invalid time or offset.
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
