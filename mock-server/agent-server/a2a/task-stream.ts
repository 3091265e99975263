import { type Part, type StreamResponse, type Task, TaskState } from "@a2a-js/sdk";
import type { LiveRun } from "../runs/live-run.ts";
import { LiveReply } from "./live-reply.ts";
import { textPart } from "./message-parts.ts";
import { artifact } from "./task-view.ts";

/**
 * A task until its run ends: as it is, then each change. `view` reads the task again. Ends early when `signal` is
 * aborted.
 */
export async function* followTask(
  task: Task,
  live: LiveRun,
  view: () => Promise<Task>,
  signal: AbortSignal,
): AsyncGenerator<StreamResponse, void, undefined> {
  const { id: taskId, contextId } = task;
  const names = { taskId, contextId, metadata: undefined };
  const status = ({ status }: Task): StreamResponse => ({
    payload: { $case: "statusUpdate", value: { ...names, status } },
  });
  const piece = (parts: Part[], append: boolean, lastChunk: boolean): StreamResponse => ({
    payload: { $case: "artifactUpdate", value: { ...names, artifact: artifact(taskId, parts), append, lastChunk } },
  });
  const reply = LiveReply.of(live);
  const isStarted = task.status?.state !== TaskState.TASK_STATE_SUBMITTED;
  yield { payload: { $case: "task", value: task } };
  for await (const change of reply.read(isStarted, signal)) {
    yield change === "started" ? status(await view()) : piece([textPart(change.text)], change.append, false);
  }
  if (signal.aborted) return;
  await live.done;
  const end = await view();
  const [response] = end.artifacts;
  if (response) {
    const [only, ...others] = response.parts;
    const isComplete = others.length === 0 && only?.content?.$case === "text" && only.content.value === reply.text;
    // What was streamed needs only the mark of its end.
    yield isComplete ? piece([textPart("")], true, true) : piece(response.parts, false, true);
  }
  yield status(end);
}
