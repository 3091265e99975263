import { Cron } from "croner";
import { HttpError } from "../../kit/http/http-error.ts";

/**
 * The first time after `from` that a cron expression means, in a time zone (UTC when there is none); `undefined` when there is none before `endTime`.
 * @throws {HttpError} 422 for an expression or a time zone that can't be read.
 */
export function nextTime(
  schedule: string,
  timezone: string | null,
  from: number,
  endTime: string | null = null,
): string | undefined {
  let next: Date | null;
  try {
    next = new Cron(schedule, { timezone: timezone ?? "UTC", paused: true }).nextRun(new Date(from));
  } catch (cause) {
    const zone = timezone === null ? "" : ` in time zone "${timezone}"`;
    throw new HttpError(422, `body.schedule: "${schedule}"${zone} can't be read: ${(cause as Error).message}`);
  }
  if (!next || (endTime !== null && next.getTime() > Date.parse(endTime))) return undefined;
  return next.toISOString();
}
