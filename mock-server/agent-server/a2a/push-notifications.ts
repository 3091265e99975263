import type { Task, TaskPushNotificationConfig } from "@a2a-js/sdk";
import { HttpError } from "../../kit/http/http-error.ts";
import { nodeHttp } from "../../kit/http/node-http.ts";
import type { AgentRuntime } from "../agent-runtime.ts";
import type { Caller } from "../agent-services.ts";
import type { AgentState } from "../persistence/agent-state.ts";
import type { PushConfigRecord } from "../persistence/push-config-table.ts";
import type { Webhooks } from "../runs/webhooks.ts";
import type { TaskServices } from "./task-view.ts";

interface PushNotificationsDependencies extends Pick<AgentRuntime, "inBackground"> {
  /** All of it, whoever may see what. */
  state: Pick<AgentState, "pushConfigs" | "runs">;
  webhooks: Webhooks;
  servicesFor(caller: Caller | null): TaskServices;
}

/**
 * The push notifications of A2A: where clients want to be told that a task has ended or needs input. They are delivered
 * like webhooks.
 */
export class PushNotifications {
  readonly #dependencies: PushNotificationsDependencies;

  constructor(dependencies: PushNotificationsDependencies) {
    this.#dependencies = dependencies;
  }

  /** @throws {HttpError} 422 for a URL that the outbound policy forbids, and for what a header can't have. */
  async check(config: TaskPushNotificationConfig): Promise<void> {
    await this.#dependencies.webhooks.check(config.url, "The URL of the push notification configuration");
    for (const [name, value] of Object.entries(headersOf(config))) {
      if (isHeaderValue(value)) continue;
      const detail = `The push notification configuration: it has characters that the header ${name} can't have.`;
      throw new HttpError(422, detail);
    }
  }

  save(record: PushConfigRecord): void {
    this.#dependencies.state.pushConfigs.put(record);
  }

  of(taskId: string): TaskPushNotificationConfig[] {
    return this.#dependencies.state.pushConfigs.of(taskId).map(({ config }) => config);
  }

  remove(taskId: string, configId: string): void {
    this.#dependencies.state.pushConfigs.remove(taskId, configId);
  }

  /** Sends the task of a run, in the background, to whoever wants that. */
  runEnded(runId: string): void {
    const { state, inBackground } = this.#dependencies;
    // Few agent servers have such clients.
    if (state.pushConfigs.isEmpty()) return;
    inBackground(async () => {
      const run = state.runs.get(runId);
      const taskId = run?.metadata.a2a_task_id ?? runId;
      const first = state.runs.get(String(taskId));
      // The metadata is the client's, and may name the task of somebody else.
      const isOfTask = first !== undefined && first.thread_id === (run ?? first).thread_id;
      const records = isOfTask ? state.pushConfigs.of(first.run_id) : [];
      if (!isOfTask || records.length === 0) return;
      const { taskOf, needsClient } = await import("./task-view.ts");
      const task = await taskOf(this.#dependencies.servicesFor(null), first);
      if (needsClient(task)) await this.#send(task, records);
    });
  }

  async #send(task: Task, records: readonly PushConfigRecord[]): Promise<void> {
    const { notificationBody } = await import("./notification-body.ts");
    const { webhooks } = this.#dependencies;
    for (const { version, config } of records) {
      const { body, contentType } = notificationBody(task, version);
      const headers = { "content-type": contentType, ...headersOf(config) };
      webhooks.deliver(webhooks.add(config.url, body, headers));
    }
  }
}

/** The headers by which a receiver recognizes a notification. */
function headersOf({ token, authentication }: TaskPushNotificationConfig): Record<string, string> {
  const { scheme = "", credentials = "" } = authentication ?? {};
  return {
    ...(token === "" ? {} : { "x-a2a-notification-token": token }),
    ...(scheme === "" || credentials === "" ? {} : { authorization: `${scheme} ${credentials}` }),
  };
}

function isHeaderValue(value: string): boolean {
  try {
    nodeHttp.validateHeaderValue("x", value);
    return true;
  } catch {
    return false;
  }
}
