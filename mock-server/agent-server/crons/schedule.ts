import { Cron } from "croner";
import { HttpError } from "../../kit/http/http-error.ts";
import type { CronRecord } from "../persistence/records.ts";

/**
 * The first time of a schedule after `from`, in its time zone (default: UTC); `null` when there is none before its end.
 * @throws {HttpError} 422 for an invalid expression or time zone.
 */
export function nextTime(
  { schedule, timezone, end_time: endTime }: Pick<CronRecord, "schedule" | "timezone" | "end_time">,
  from: number,
): string | null {
  let next: Date | null;
  try {
    next = new Cron(schedule, { timezone: timezone ?? "UTC", paused: true }).nextRun(new Date(from));
  } catch (cause) {
    const zone = timezone === null ? "" : ` in time zone "${timezone}"`;
    throw new HttpError(422, `body.schedule: "${schedule}"${zone} can't be read: ${(cause as Error).message}`);
  }
  if (!next || (endTime !== null && next.getTime() > Date.parse(endTime))) return null;
  return next.toISOString();
}
