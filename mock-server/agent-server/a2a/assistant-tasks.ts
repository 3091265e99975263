import type {
  AgentCard,
  CancelTaskRequest,
  DeleteTaskPushNotificationConfigRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTaskPushNotificationConfigsResponse,
  ListTasksRequest,
  ListTasksResponse,
  SendMessageRequest,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
  TaskPushNotificationConfig,
} from "@a2a-js/sdk";
import { TaskState } from "@a2a-js/sdk";
import {
  ExtendedAgentCardNotConfiguredError,
  RequestMalformedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from "@a2a-js/sdk/errors";
import type { A2ARequestHandler } from "@a2a-js/sdk/server";
import type { HttpError } from "../../kit/http/http-error.ts";
import type { AccessRule } from "../auth/access-rule.ts";
import type { A2aVersion } from "../persistence/push-config-table.ts";
import type { AssistantRecord, RunRecord } from "../persistence/records.ts";
import type { ProtocolHost } from "../protocol-host.ts";
import type { LiveRun } from "../runs/live-run.ts";
import { threadOfContext } from "./context-id.ts";
import { withProtocolErrors } from "./protocol-errors.ts";
import { type StartedTask, startTask } from "./start-task.ts";
import { listTasks } from "./task-list.ts";
import { followTask } from "./task-stream.ts";
import { hasEnded, shortened, type TaskServices, taskOf, unfinishedRun } from "./task-view.ts";

/** Authorizes reading or changing the thread of a task. */
const onThread =
  (action: "read" | "update"): AccessRule =>
  async ({ params: { run_id: runId } }, { authorize, threadIdOf }) => {
    await authorize("threads", action, { thread_id: threadIdOf(runId as string), run_id: runId });
    return undefined;
  };

/** A task that the caller may see. */
interface FoundTask {
  services: TaskServices;
  first: RunRecord;
  last: RunRecord;
  task: Task;
}

/**
 * The tasks of one assistant, as far as a caller may see them, for the protocol's library. A task is a run and those
 * that continued it; its context is their thread.
 */
export class AssistantTasks implements A2ARequestHandler {
  /** The refusal of the auth handlers that ended the request. */
  refusal: HttpError | undefined;
  readonly #host: ProtocolHost;
  readonly #assistant: AssistantRecord;
  readonly #version: A2aVersion;

  constructor(host: ProtocolHost, assistant: AssistantRecord, version: A2aVersion) {
    this.#host = host;
    this.#assistant = assistant;
    this.#version = version;
  }

  async getAgentCard(): Promise<AgentCard> {
    // The library asks for the capabilities only.
    return { capabilities: { streaming: true, pushNotifications: true, extensions: [] } } as unknown as AgentCard;
  }

  async getAuthenticatedExtendedAgentCard(): Promise<AgentCard> {
    throw new ExtendedAgentCardNotConfiguredError("There is no other agent card than the public one.");
  }

  async sendMessage(request: SendMessageRequest): Promise<Task> {
    const { services, first, live } = await this.#start(request);
    if (!request.configuration?.returnImmediately) {
      for (let run: LiveRun | undefined = live; run; run = await this.#unfinished(services, first)) await run.done;
    }
    return shortened(await this.#view(services, first), request.configuration?.historyLength);
  }

  async *sendMessageStream(request: SendMessageRequest): AsyncGenerator<StreamResponse, void, undefined> {
    const { services, first, live } = await this.#start(request);
    const task = await this.#view(services, first);
    yield* this.#follow(services, first, live, shortened(task, request.configuration?.historyLength));
  }

  async getTask({ id, historyLength }: GetTaskRequest): Promise<Task> {
    return shortened((await this.#find(id, "read")).task, historyLength);
  }

  listTasks(request: ListTasksRequest): Promise<ListTasksResponse> {
    return this.#guarded(() => listTasks(this.#host, this.#assistant, request));
  }

  async cancelTask({ id }: CancelTaskRequest): Promise<Task> {
    const { services, first, task } = await this.#find(id, "update");
    if (hasEnded(task)) throw new TaskNotCancelableError(`Task ${id} has ended and can't be canceled.`);
    return this.#guarded(async () => {
      const runs = services.runs.ofTask(first);
      await services.runs.cancel(
        runs.map(({ run_id: runId }) => runId),
        "interrupt",
      );
      const after = await taskOf(services, first);
      if (hasEnded(after)) {
        if (after.status?.state === TaskState.TASK_STATE_CANCELED) return after;
        throw new TaskNotCancelableError(`Task ${id} has ended in the meantime.`);
      }
      const last = runs.at(-1) as RunRecord;
      services.runs.setCancelled(last);
      this.#host.agent.pushNotifications.runEnded(last.run_id);
      return taskOf(services, first);
    });
  }

  async *resubscribe({ id }: SubscribeToTaskRequest): AsyncGenerator<StreamResponse, void, undefined> {
    const { services, first, task } = await this.#find(id, "read");
    if (hasEnded(task)) throw new UnsupportedOperationError(`Task ${id} has ended: there is nothing to subscribe to.`);
    const live = unfinishedRun(services, first);
    if (live) yield* this.#follow(services, first, live, task);
    else yield { payload: { $case: "task", value: task } };
  }

  async createTaskPushNotificationConfig(request: TaskPushNotificationConfig): Promise<TaskPushNotificationConfig> {
    const { first } = await this.#find(request.taskId, "update");
    const config = pushConfigOf(request, first.run_id);
    const { pushNotifications } = this.#host.agent;
    await this.#guarded(() => pushNotifications.check(config));
    pushNotifications.save({ version: this.#version, config });
    return config;
  }

  async getTaskPushNotificationConfig(
    request: GetTaskPushNotificationConfigRequest,
  ): Promise<TaskPushNotificationConfig> {
    const { first } = await this.#find(request.taskId, "read");
    const configs = this.#host.agent.pushNotifications.of(first.run_id);
    const found = request.id === "" ? configs[0] : configs.find(({ id }) => id === request.id);
    if (found) return found;
    throw new TaskNotFoundError(`Task ${first.run_id} has no push notification configuration ${request.id}`.trimEnd());
  }

  async listTaskPushNotificationConfigs({
    taskId,
  }: ListTaskPushNotificationConfigsRequest): Promise<ListTaskPushNotificationConfigsResponse> {
    const { first } = await this.#find(taskId, "read");
    return { configs: this.#host.agent.pushNotifications.of(first.run_id), nextPageToken: "" };
  }

  async deleteTaskPushNotificationConfig({ taskId, id }: DeleteTaskPushNotificationConfigRequest): Promise<void> {
    const { first } = await this.#find(taskId, "update");
    this.#host.agent.pushNotifications.remove(first.run_id, id);
  }

  /** Starts a task with a message, or continues the one that it names. */
  async #start({ message, configuration }: SendMessageRequest): Promise<StartedTask> {
    if (!message) throw new RequestMalformedError("params.message: Field required");
    const continued = message.taskId === "" ? undefined : await this.#find(message.taskId, "read");
    return this.#guarded(() =>
      startTask(this.#host, this.#assistant, {
        message,
        continued,
        push: configuration?.taskPushNotificationConfig && {
          version: this.#version,
          configFor: (taskId) => pushConfigOf(configuration.taskPushNotificationConfig, taskId),
        },
      }),
    );
  }

  /**
   * A task by its id: that of its first run, also behind that of the context and a colon, as the service's examples have
   * it.
   */
  async #find(id: string, action: "read" | "update"): Promise<FoundTask> {
    const colon = id.lastIndexOf(":");
    const runId = id.slice(colon + 1).toLowerCase();
    const threadId = colon < 0 ? undefined : threadOfContext(this.#host.user, id.slice(0, colon));
    const missing = () => new TaskNotFoundError(`Task ${id} not found.`);
    return this.#guarded(async () => {
      const { services } = await this.#host.permit({ access: onThread(action) }, { params: { run_id: runId } });
      const first = services.runs.find(threadId, runId);
      const isOther = first.assistant_id !== this.#assistant.assistant_id || first.metadata.a2a_task_id !== undefined;
      if (isOther) throw missing();
      const last = services.runs.ofTask(first).at(-1) as RunRecord;
      return { services, first, last, task: await taskOf(services, first) };
    }, missing);
  }

  #follow(services: TaskServices, first: RunRecord, live: LiveRun, task: Task): AsyncGenerator<StreamResponse, void> {
    const follow = {
      view: () => this.#view(services, first),
      unfinished: () => this.#unfinished(services, first),
      signal: this.#host.context.signal,
    };
    return followTask(task, live, follow);
  }

  #view(services: TaskServices, first: RunRecord): Promise<Task> {
    return this.#unlessDeleted(first, () => taskOf(services, first));
  }

  #unfinished(services: TaskServices, first: RunRecord): Promise<LiveRun | undefined> {
    return this.#unlessDeleted(first, async () => unfinishedRun(services, first));
  }

  /** Reads of a task that may have been deleted in the meantime. */
  #unlessDeleted<Result>({ run_id: id }: RunRecord, read: () => Promise<Result>): Promise<Result> {
    return this.#guarded(read, () => new TaskNotFoundError(`Task ${id} was deleted.`));
  }

  #guarded<Result>(work: () => Promise<Result>, missing?: () => Error): Promise<Result> {
    return withProtocolErrors(this.#host, work, {
      missing,
      onRefusal: (error) => {
        this.refusal = error;
      },
    });
  }
}

/** A configuration that has an id: that of the task, unless the client chose one. */
function pushConfigOf(config: TaskPushNotificationConfig | undefined, taskId: string): TaskPushNotificationConfig {
  const { id, url, token, authentication } = config as TaskPushNotificationConfig;
  return { tenant: "", id: id === "" ? taskId : id, taskId, url, token, authentication };
}
