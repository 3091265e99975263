import { HttpError } from "../../kit/http/http-error.ts";
import { OutboundError } from "../../kit/outbound.ts";
import type { AgentHost } from "../agent-host.ts";
import type { RunRecord } from "../persistence/records.ts";
import type { WebhookRecord } from "../persistence/webhook-table.ts";
import type { LiveRun, RunResult } from "./live-run.ts";
import { viewRun } from "./run-view.ts";

/** How often a webhook is tried. */
const maxAttempts = 3;
/** Before the second attempt, in milliseconds; twice that before the third. */
const pauseMs = 1000;

/** @throws {HttpError} 422 for an address that the server may not call. */
export async function checkWebhook(host: AgentHost, url: string): Promise<void> {
  await host.outbound.check(url).catch((error: unknown) => {
    throw error instanceof OutboundError ? new HttpError(422, `body.webhook: ${error.message}`) : error;
  });
}

/** What a webhook says of a run that has ended. */
export function webhookBody(host: AgentHost, record: RunRecord, live: LiveRun, result: RunResult): string {
  return JSON.stringify({
    ...viewRun(record),
    run_started_at: live.startedAt ?? null,
    run_ended_at: record.updated_at,
    webhook_sent_at: host.timestamp(),
    values: result.kind === "success" ? result.values : {},
    ...(result.kind === "error" ? { error: result.error } : {}),
  });
}

/**
 * Delivers a webhook in the background. What fails, or is answered with 429 or a 5xx, is tried again, and then given up. One that is under way when the server
 * ends is delivered by the next, and so may come twice.
 */
export function deliverWebhook(host: AgentHost, { webhook, url, body, attempts }: WebhookRecord): void {
  const headers = { "content-type": "application/json" };
  host.inBackground(async () => {
    for (let attempt = attempts + 1; attempt <= maxAttempts; attempt++) {
      if (attempt > 1) await host.alarms.sleep(pauseMs * (attempt - 1));
      try {
        const { status } = await host.outbound.send(url, { method: "POST", headers, body });
        if (status < 500 && status !== 429) break;
      } catch (error) {
        if (!(error instanceof OutboundError)) throw error;
      }
      host.state.webhooks.setAttempts(webhook, attempt);
    }
    host.state.webhooks.remove(webhook);
  });
}
