import type { ControlPlane } from "./client.ts";
import type { LogEntry } from "./wire/logs.ts";

/** Lines of a log that go into an error. */
const tailLength = 30;

/** A failure is reported without its log rather than late. */
const deadlineMs = 10_000;

/**
 * The last lines of the log that explains where a revision stands, oldest first: the deploy log once it deploys, the build log before.
 * Best effort: an empty list when the log can't be read, so that it never hides the failure itself.
 */
export async function logTail(
  client: ControlPlane,
  deploymentId: string,
  revision: { id: string; status: string },
): Promise<LogEntry[]> {
  const query = { order: "desc", limit: tailLength } as const;
  const read = /DEPLOY/.test(revision.status)
    ? [client.deployLogs.bind(client), client.buildLogs.bind(client)]
    : [client.buildLogs.bind(client), client.deployLogs.bind(client)];
  for (const readLog of read) {
    try {
      const { logs } = await readLog(deploymentId, revision.id, query, { deadlineMs });
      // Lines of one instant came newest first too.
      if (logs.length > 0) return logs.toReversed().sort(byTime).slice(-tailLength);
    } catch (error) {
      client.logger.debug("The log can't be read.", { error: error instanceof Error ? error.message : String(error) });
    }
  }
  return [];
}

function byTime(a: LogEntry, b: LogEntry): number {
  return timeOf(a) - timeOf(b);
}

function timeOf({ timestamp }: LogEntry): number {
  const time = typeof timestamp === "number" ? timestamp : Date.parse(timestamp ?? "");
  return Number.isNaN(time) ? 0 : time;
}
