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

  /** @throws {HttpError} 422, naming the field, for a URL that the project's policy or the server's forbids. */
  async check(url: string, field = "body.webhook"): Promise<void> {
    const problem = await this.#problem(url);
    if (problem !== undefined) throw new HttpError(422, `${field}: ${problem}`);
  }

  /** Stores the webhook of a run for delivery, unless the project disables them. */
  addOfRun(url: string, run: Fields): WebhookRecord | undefined {
    const { isDisabled, fields } = this.#dependencies.project.settings.webhooks;
    if (isDisabled) return undefined;
    const sent = fields ? Object.fromEntries(Object.entries(run).filter(([name]) => fields.includes(name))) : run;
    return this.add(url, JSON.stringify(sent));
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
    const { webhooks, alarms, inBackground, log, project } = this.#dependencies;
    inBackground(async () => {
      // The settings may have changed since the run started.
      const problem = await this.#problem(url);
      const { headers: ofProject } = project.settings.webhooks;
      const headers = { "content-type": "application/json", ...ofProject, ...JSON.parse(ownHeaders) };
      if (problem !== undefined) log("WARNING", `The webhook to ${placeOf(url)} isn't sent: ${problem}`);
      let status: number | undefined;
      for (let attempt = attempts + 1; problem === undefined && attempt <= maxAttempts; attempt++) {
        if (attempt > 1) await alarms.sleep(backOffMs * (attempt - 1));
        status = await this.#send(url, headers, body);
        if (status !== undefined && status < 500 && status !== 429) break;
        webhooks.setAttempts(webhook, attempt);
      }
      const isDelivered = status !== undefined && status < 300;
      if (problem === undefined && !isDelivered) {
        log("WARNING", `The webhook to ${placeOf(url)} wasn't accepted: ${status ?? "no response"}.`);
      }
      webhooks.remove(webhook);
    });
  }

  /** Returns the status of the response; `undefined` without a response. */
  async #send(url: string, headers: Record<string, string>, body: string): Promise<number | undefined> {
    const { outbound, project } = this.#dependencies;
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
        : "It is a path, and no route of the project's app (http.app) handles POST there.";
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

/** Where a webhook goes, for the log: paths and queries of other servers may hold tokens. */
function placeOf(url: string): string {
  return isForApp(url) ? "the project's app" : (URL.parse(url)?.origin ?? "an invalid URL");
}
