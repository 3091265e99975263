import { HttpError } from "../../kit/http/http-error.ts";
import { type Outbound, OutboundError } from "../../kit/outbound.ts";
import type { AgentRuntime } from "../agent-runtime.ts";
import type { WebhookRecord, WebhookTable } from "../persistence/webhook-table.ts";

/** Maximum number of attempts to deliver a webhook. */
const maxAttempts = 3;
/** Back-off before the second attempt, in milliseconds; twice that before the third. */
const backOffMs = 1000;

interface WebhooksDependencies extends Pick<AgentRuntime, "alarms" | "inBackground"> {
  webhooks: WebhookTable;
  outbound: Outbound;
}

/** Delivers the webhooks of an agent server's runs. */
export class Webhooks {
  readonly #dependencies: WebhooksDependencies;

  constructor(dependencies: WebhooksDependencies) {
    this.#dependencies = dependencies;
  }

  /** @throws {HttpError} 422, naming the field, for a URL that the outbound policy forbids. */
  async check(url: string, field = "body.webhook"): Promise<void> {
    await this.#dependencies.outbound.check(url).catch((error: unknown) => {
      throw error instanceof OutboundError ? new HttpError(422, `${field}: ${error.message}`) : error;
    });
  }

  /** Stores a webhook for delivery; `headers` replace the default ones. */
  add(url: string, body: string, headers: Record<string, string> = {}): WebhookRecord {
    return this.#dependencies.webhooks.insert(url, body, headers);
  }

  /** Delivers the webhooks that an earlier server left. */
  restore(): void {
    for (const webhook of this.#dependencies.webhooks.all()) this.deliver(webhook);
  }

  /**
   * Delivers a webhook in the background. Failures, 429 and 5xx are retried up to the maximum number of attempts. A
   * delivery that is in progress when the server ends is repeated by the next server, so a webhook may arrive twice.
   */
  deliver({ webhook, url, body, headers: ownHeaders, attempts }: WebhookRecord): void {
    const { webhooks, outbound, alarms, inBackground } = this.#dependencies;
    const headers = { "content-type": "application/json", ...JSON.parse(ownHeaders) };
    inBackground(async () => {
      for (let attempt = attempts + 1; attempt <= maxAttempts; attempt++) {
        if (attempt > 1) await alarms.sleep(backOffMs * (attempt - 1));
        try {
          const { status } = await outbound.send(url, { method: "POST", headers, body });
          if (status < 500 && status !== 429) break;
        } catch (error) {
          if (!(error instanceof OutboundError)) throw error;
        }
        webhooks.setAttempts(webhook, attempt);
      }
      webhooks.remove(webhook);
    });
  }
}
