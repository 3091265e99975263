import { HttpError } from "../../kit/http/http-error.ts";
import { type Outbound, OutboundError } from "../../kit/outbound.ts";
import type { AgentRuntime } from "../agent-runtime.ts";
import type { WebhookRecord, WebhookTable } from "../persistence/webhook-table.ts";

/** How often a webhook is tried. */
const maxAttempts = 3;
/** Before the second attempt, in milliseconds; twice that before the third. */
const backOffMs = 1000;

interface WebhooksDependencies extends Pick<AgentRuntime, "alarms" | "inBackground"> {
  webhooks: WebhookTable;
  outbound: Outbound;
}

/** The webhooks of an agent server's runs. */
export class Webhooks {
  readonly #dependencies: WebhooksDependencies;

  constructor(dependencies: WebhooksDependencies) {
    this.#dependencies = dependencies;
  }

  /** @throws {HttpError} 422 for an address that the server may not call. */
  async check(url: string): Promise<void> {
    await this.#dependencies.outbound.check(url).catch((error: unknown) => {
      throw error instanceof OutboundError ? new HttpError(422, `body.webhook: ${error.message}`) : error;
    });
  }

  /** Stores a webhook that is yet to be delivered. */
  add(url: string, body: string): WebhookRecord {
    return this.#dependencies.webhooks.insert(url, body);
  }

  /** Continues with the webhooks that an earlier server left. */
  restore(): void {
    for (const webhook of this.#dependencies.webhooks.all()) this.deliver(webhook);
  }

  /**
   * Delivers a webhook in the background. One that fails, or gets 429 or a 5xx, is retried, and then given up. One that is under way when the server ends is
   * delivered by the next, and so may come twice.
   */
  deliver({ webhook, url, body, attempts }: WebhookRecord): void {
    const { webhooks, outbound, alarms, inBackground } = this.#dependencies;
    const headers = { "content-type": "application/json" };
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
