import { type Artifact, type Message, Role, type Task, TaskState } from "@a2a-js/sdk";
import type { AgentServices } from "../agent-services.ts";
import { type Fields, type Interrupt, isFields } from "../engine/contract.ts";
import type { RunError, RunRecord } from "../persistence/records.ts";
import type { LiveRun } from "../runs/live-run.ts";
import { contextOf } from "./context-id.ts";
import { LiveReply } from "./live-reply.ts";
import { dataPart, partsOf, sentParts, textPart } from "./message-parts.ts";

/** The services that reading tasks needs. */
export type TaskServices = Pick<AgentServices, "runs" | "threads" | "threadStates">;

/** What a run left. */
interface Outcome {
  values: Fields;
  interrupts: Interrupt[];
  /** Whether the graph waits; a later run on the thread makes that pointless. */
  isPending: boolean;
  isCurrent: boolean;
  error: RunError | null;
}

const endStates: ReadonlySet<TaskState> = new Set([
  TaskState.TASK_STATE_COMPLETED,
  TaskState.TASK_STATE_FAILED,
  TaskState.TASK_STATE_CANCELED,
  TaskState.TASK_STATE_REJECTED,
]);

/** Whether a task in this state never changes again. */
export function hasEnded({ status }: Pick<Task, "status">): boolean {
  return status !== undefined && endStates.has(status.state);
}

/** Whether the client of a task in this state has something to do: take its result, or answer. */
export function needsClient(task: Pick<Task, "status">): boolean {
  return hasEnded(task) || task.status?.state === TaskState.TASK_STATE_INPUT_REQUIRED;
}

/** The task that begins with a run, as its runs and the state of the thread say: nothing else is stored of it. */
export async function taskOf(services: TaskServices, first: RunRecord): Promise<Task> {
  const runs = services.runs.ofTask(first);
  const last = runs.at(-1) as RunRecord;
  const names = { taskId: first.run_id, contextId: contextOf(first) };
  const live = services.runs.liveOf(last);
  const outcome = await outcomeOf(services, last);
  const state = stateOf(last, outcome);
  const text = live ? LiveReply.of(live).text : "";
  return {
    id: first.run_id,
    contextId: names.contextId,
    status: { state, message: statusMessage(state, outcome, last, names), timestamp: last.updated_at },
    artifacts:
      state === TaskState.TASK_STATE_COMPLETED
        ? [responseOf(first.run_id, outcome.values)]
        : text === ""
          ? []
          : [artifact(first.run_id, [textPart(text)])],
    history: await historyOf(services, runs, names),
    metadata: undefined,
  };
}

/** The run of a task that is queued or in progress: the one that began it, or one that continued it. */
export function unfinishedRun({ runs }: TaskServices, first: RunRecord): LiveRun | undefined {
  return runs.liveOf(runs.ofTask(first).at(-1) as RunRecord);
}

/** The task with the last messages of its history; all of them without a length. */
export function shortened(task: Task, length: number | null | undefined): Task {
  if (length === undefined || length === null) return task;
  return { ...task, history: length === 0 ? [] : task.history.slice(-length) };
}

/** The artifact with a task's response; each piece that is streamed belongs to it. */
export function artifact(taskId: string, parts: Artifact["parts"]): Artifact {
  return {
    artifactId: taskId,
    name: "Assistant Response",
    description: "",
    parts,
    metadata: undefined,
    extensions: [],
  };
}

/** What the model said last in the state or, from a graph without a model, all of the state. */
function responseOf(taskId: string, values: Fields): Artifact {
  const messages = Array.isArray(values.messages) ? values.messages.filter(isFields) : [];
  const question = messages.findLastIndex(({ type }) => type === "human");
  const replies = messages.slice(question + 1).filter(({ type }) => type === "ai");
  const parts = replies.map(({ content }) => partsOf(content)).findLast(({ length }) => length > 0);
  return artifact(taskId, parts ?? [dataPart(values)]);
}

function stateOf({ status }: RunRecord, { isPending, isCurrent }: Outcome): TaskState {
  if (status === "pending") return TaskState.TASK_STATE_SUBMITTED;
  if (status === "running") return TaskState.TASK_STATE_WORKING;
  if (status === "interrupted") return TaskState.TASK_STATE_CANCELED;
  if (status !== "success") return TaskState.TASK_STATE_FAILED;
  if (!isPending) return TaskState.TASK_STATE_COMPLETED;
  return isCurrent ? TaskState.TASK_STATE_INPUT_REQUIRED : TaskState.TASK_STATE_CANCELED;
}

/** The thread has what its last run left, and checkpoints what earlier ones did. */
async function outcomeOf({ runs, threads, threadStates }: TaskServices, run: RunRecord): Promise<Outcome> {
  const thread = threads.find(run.thread_id);
  const [newest] = runs.ofThread(run.thread_id, undefined, 1, 0);
  if (newest?.run_id === run.run_id) {
    const { values, interrupts, status, error } = thread;
    return {
      values: values ?? {},
      interrupts: Object.values(interrupts).flat(),
      isPending: status === "interrupted",
      isCurrent: true,
      error,
    };
  }
  const [state] = await threadStates.history(run.thread_id, { limit: 1, metadata: { run_id: run.run_id } });
  return {
    values: state?.values ?? {},
    interrupts: state?.tasks.flatMap(({ interrupts }) => interrupts) ?? [],
    isPending: (state?.next.length ?? 0) > 0,
    isCurrent: false,
    error: null,
  };
}

type Names = Pick<Message, "taskId" | "contextId">;

function statusMessage(
  state: TaskState,
  { interrupts, error }: Outcome,
  { run_id: runId }: RunRecord,
  names: Names,
): Message | undefined {
  if (state === TaskState.TASK_STATE_INPUT_REQUIRED) return question(interrupts, runId, names);
  if (state !== TaskState.TASK_STATE_FAILED) return undefined;
  const text = error ? `${error.error}: ${error.message}` : "The run failed.";
  return message(`${runId}-error`, Role.ROLE_AGENT, [textPart(text)], names);
}

/** The questions as text, and with the ids by which a reply can name them. */
function question(interrupts: readonly Interrupt[], runId: string, names: Names): Message {
  const texts = interrupts.map(({ value }) =>
    textPart(typeof value === "string" ? value : JSON.stringify(value ?? null)),
  );
  const parts = interrupts.length > 0 ? texts : [textPart("The graph waits before it continues.")];
  return message(`${runId}-question`, Role.ROLE_AGENT, [...parts, dataPart({ interrupts })], names);
}

/** What was sent to each run, and what those asked that another one continued. */
async function historyOf(services: TaskServices, runs: readonly RunRecord[], names: Names): Promise<Message[]> {
  const history: Message[] = [];
  for (const [index, run] of runs.entries()) {
    const { a2a_message_id: id } = run.metadata;
    history.push(message(typeof id === "string" ? id : run.run_id, Role.ROLE_USER, sentParts(run.kwargs), names));
    if (index === runs.length - 1 || run.status !== "success") continue;
    const { interrupts } = await outcomeOf(services, run);
    if (interrupts.length > 0) history.push(question(interrupts, run.run_id, names));
  }
  return history;
}

function message(messageId: string, role: Role, parts: Message["parts"], names: Names): Message {
  return { messageId, role, parts, ...names, metadata: undefined, extensions: [], referenceTaskIds: [] };
}
