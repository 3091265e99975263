import { type Message, type Task, type TaskPushNotificationConfig, TaskState } from "@a2a-js/sdk";
import { RequestMalformedError, UnsupportedOperationError } from "@a2a-js/sdk/errors";
import type { A2aVersion } from "../persistence/push-config-table.ts";
import type { AssistantRecord, RunRecord } from "../persistence/records.ts";
import type { ProtocolHost } from "../protocol-host.ts";
import type { LiveRun } from "../runs/live-run.ts";
import { startRun } from "../runs/run-access.ts";
import { type RunStart, runCreateStateful } from "../runs/run-schemas.ts";
import { takesMessages } from "./assistant-input.ts";
import { contextMetadata, threadOfContext } from "./context-id.ts";
import { LiveReply } from "./live-reply.ts";
import { inputOf, replyOf } from "./message-parts.ts";
import { hasEnded, type TaskServices } from "./task-view.ts";

const start = { access: startRun, body: { schema: runCreateStateful, required: true } };

/** A message, and what it belongs to. */
interface Sent {
  message: Message;
  /** The task that it continues. */
  continued: { first: RunRecord; last: RunRecord; task: Task } | undefined;
  /** Where to send notifications about the task. */
  push: { version: A2aVersion; configFor(taskId: string): TaskPushNotificationConfig } | undefined;
}

export interface StartedTask {
  services: TaskServices;
  /** The first run of the task. */
  first: RunRecord;
  /** The run that handles the message. */
  live: LiveRun;
}

/**
 * Starts the run that handles a message: on the thread that is its context, with the rights of the caller.
 * @throws {A2AError} for a message that the task or the assistant can't take; {HttpError} as starting a run does.
 */
export async function startTask(
  host: ProtocolHost,
  assistant: AssistantRecord,
  { message, continued, push }: Sent,
): Promise<StartedTask> {
  const { agent, context, permit } = host;
  const { contextId } = message;
  const named = contextId === "" ? undefined : threadOfContext(host.user, contextId);
  if (continued) checkContinued(continued, named);
  const threadId = continued?.first.thread_id ?? named ?? agent.ids.uuid();
  const asks = continued?.task.status?.state === TaskState.TASK_STATE_INPUT_REQUIRED;
  if (push) await agent.pushNotifications.check(push.configFor(""));
  const body = runCreateStateful.parse({
    assistant_id: assistant.assistant_id,
    ...(asks
      ? { command: { resume: replyOf(message) } }
      : { input: inputOf(message, await takesMessages(host, assistant)) }),
    stream_mode: ["messages-tuple"],
    if_not_exists: "create",
    metadata: contextMetadata(contextId),
    // In the config, since metadata of a run would also be that of a thread that it creates.
    config: {
      metadata: {
        a2a_message_id: message.messageId,
        ...(continued ? { a2a_task_id: continued.first.run_id } : {}),
      },
    },
  });
  const { services, request } = await permit(start, { params: { thread_id: threadId }, body });
  const { record, live } = await services.runs.start(threadId, request.body as RunStart, {
    headers: context.headers,
    alongside: () => {
      // Another reply may have been first while this one was authorized: the next question isn't the one it replies to.
      const [, before] = services.runs.ofThread(threadId, undefined, 2, 0);
      if (!asks || before?.run_id === continued?.last.run_id) return;
      throw new UnsupportedOperationError(`Task ${continued?.task.id} got another reply in the meantime.`);
    },
    beforeStart: (live) => {
      LiveReply.of(live);
      if (!push) return;
      agent.pushNotifications.save({
        version: push.version,
        config: push.configFor(continued?.first.run_id ?? live.runId),
      });
    },
  });
  return { services, first: continued?.first ?? record, live };
}

function checkContinued({ first, task }: { first: RunRecord; task: Task }, threadId: string | undefined): void {
  if (threadId !== undefined && threadId !== first.thread_id) {
    throw new RequestMalformedError(`Task ${task.id} belongs to the context ${task.contextId}.`);
  }
  if (hasEnded(task)) {
    throw new UnsupportedOperationError(
      `Task ${task.id} has ended. Send the message without a taskId, with the contextId ${task.contextId}.`,
    );
  }
}
