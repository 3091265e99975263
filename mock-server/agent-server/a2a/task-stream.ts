import { type Part, type StreamResponse, type Task, TaskState } from "@a2a-js/sdk";
import type { LiveRun } from "../runs/live-run.ts";
import { LiveReply } from "./live-reply.ts";
import { textPart } from "./message-parts.ts";
import { artifact } from "./task-view.ts";

interface Followed {
  /** Reads the task again. */
  view: () => Promise<Task>;
  /** The run that continues the task, if there is one. */
  unfinished: () => Promise<LiveRun | undefined>;
  /** Ends the stream early. */
  signal: AbortSignal;
}

/** A task until its runs have ended: as it is, then each change. */
export async function* followTask(
  task: Task,
  live: LiveRun,
  { view, unfinished, signal }: Followed,
): AsyncGenerator<StreamResponse, void, undefined> {
  const { id: taskId, contextId } = task;
  const names = { taskId, contextId, metadata: undefined };
  const status = ({ status }: Task): StreamResponse => ({
    payload: { $case: "statusUpdate", value: { ...names, status } },
  });
  const piece = (parts: Part[], append: boolean, lastChunk: boolean): StreamResponse => ({
    payload: { $case: "artifactUpdate", value: { ...names, artifact: artifact(taskId, parts), append, lastChunk } },
  });
  let isStarted = task.status?.state !== TaskState.TASK_STATE_SUBMITTED;
  let text = "";
  yield { payload: { $case: "task", value: task } };
  for (let run: LiveRun | undefined = live; run; run = await unfinished()) {
    const reply = LiveReply.of(run);
    for await (const change of reply.read(isStarted, signal)) {
      yield change === "started" ? status(await view()) : piece([textPart(change.text)], change.append, false);
    }
    if (signal.aborted) return;
    await run.done;
    isStarted = false;
    text = reply.text;
  }
  const end = await view();
  const [response] = end.artifacts;
  if (response) {
    const [only, ...others] = response.parts;
    const isComplete = others.length === 0 && only?.content?.$case === "text" && only.content.value === text;
    // What was streamed needs only the mark of its end.
    yield isComplete ? piece([textPart("")], true, true) : piece(response.parts, false, true);
  }
  yield status(end);
}
