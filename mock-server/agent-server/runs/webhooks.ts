import { HttpError } from "../../kit/http/http-error.ts";
import { type Outbound, OutboundError } from "../../kit/outbound.ts";
import type { AgentRuntime } from "../agent-runtime.ts";
import type { Fields } from "../engine/contract.ts";
import type { WebhookRecord, WebhookTable } from "../persistence/webhook-table.ts";
import type { CurrentProject } from "../project-settings.ts";
import { addressProblem, isForApp, webhookProblem } from "./webhook-policy.ts";

/** Maximum number of attempts to deliver a webhook. */
const maxAttempts = 3;
/** Back-off before the second attempt, in milliseconds; twice that before the third. */
const backOffMs = 1000;

interface WebhooksDependencies extends Pick<AgentRuntime, "alarms" | "inBackground" | "log"> {
  webhooks: WebhookTable;
  outbound: Outbound;
  project: CurrentProject;
}

/** Delivers the webhooks of an agent server's runs. */
export class Webhooks {
  readonly #dependencies: WebhooksDependencies;

  constructor(dependencies: WebhooksDependencies) {
    this.#dependencies = dependencies;
  }

  /** @throws {HttpError} 422 for a URL that the project's policy or the server's forbids. */
  async check(url: string): Promise<void> {
    const problem = await this.#problem(url);
    if (problem !== undefined) throw new HttpError(422, `body.webhook: ${problem}`);
  }

  /** Stores a webhook for delivery, unless the project disables them. */
  add(url: string, run: Fields): WebhookRecord | undefined {
    const { webhooks, project } = this.#dependencies;
    const { isDisabled, fields } = project.settings.webhooks;
    if (isDisabled) return undefined;
    const sent = fields ? Object.fromEntries(Object.entries(run).filter(([name]) => fields.includes(name))) : run;
    return webhooks.insert(url, JSON.stringify(sent));
  }

  /** Delivers the webhooks that an earlier server left. */
  restore(): void {
    for (const webhook of this.#dependencies.webhooks.all()) this.deliver(webhook);
  }

  /**
   * Delivers a webhook in the background. Failures, 429 and 5xx are retried up to the maximum number of attempts. A
   * delivery that is in progress when the server ends is repeated by the next server, so a webhook may arrive twice.
   */
  deliver({ webhook, url, body, attempts }: WebhookRecord): void {
    const { webhooks, alarms, inBackground, log } = this.#dependencies;
    inBackground(async () => {
      // The settings may have changed since the run started.
      const problem = await this.#problem(url);
      if (problem !== undefined) log("WARNING", `The webhook ${url} isn't sent: ${problem}`);
      for (let attempt = attempts + 1; problem === undefined && attempt <= maxAttempts; attempt++) {
        if (attempt > 1) await alarms.sleep(backOffMs * (attempt - 1));
        const status = await this.#send(url, body);
        if (status !== undefined && status < 500 && status !== 429) break;
        webhooks.setAttempts(webhook, attempt);
      }
      webhooks.remove(webhook);
    });
  }

  /** Returns the status of the response; `undefined` without a response. */
  async #send(url: string, body: string): Promise<number | undefined> {
    const { outbound, project } = this.#dependencies;
    const headers = { "content-type": "application/json", ...project.settings.webhooks.headers };
    if (isForApp(url)) return project.app?.send(url, headers, body);
    try {
      return (await outbound.send(url, { method: "POST", headers, body })).status;
    } catch (error) {
      if (error instanceof OutboundError) return undefined;
      throw error;
    }
  }

  async #problem(url: string): Promise<string | undefined> {
    const { outbound, project } = this.#dependencies;
    const policy = project.settings.webhooks.urls;
    const problem = webhookProblem(url, policy);
    if (problem !== undefined) return problem;
    if (isForApp(url)) {
      return project.app?.takes(url)
        ? undefined
        : `${url} is a path, and no route of the project's app (http.app) handles POST there.`;
    }
    try {
      const problems = (await outbound.check(url)).map((address) => addressProblem(address, policy));
      return problems.find((one) => one !== undefined);
    } catch (error) {
      if (error instanceof OutboundError) return error.message;
      throw error;
    }
  }
}
