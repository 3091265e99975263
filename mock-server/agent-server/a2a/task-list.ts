import { setImmediate } from "node:timers/promises";
import type { ListTasksRequest, ListTasksResponse, Task, TaskState } from "@a2a-js/sdk";
import { HttpError } from "../../kit/http/http-error.ts";
import { byBody } from "../auth/access-rule.ts";
import type { AssistantRecord, RunRecord } from "../persistence/records.ts";
import type { ProtocolHost } from "../protocol-host.ts";
import { threadSearch } from "../threads/thread-schemas.ts";
import { threadOfContext } from "./context-id.ts";
import { shortened, type TaskServices, taskOf } from "./task-view.ts";

const search = { access: byBody("threads", "search"), body: { schema: threadSearch, required: false } };

/** Maximum number of tasks that are read before other requests get their turn. */
const batchSize = 50;

/** The tasks of an assistant that clients of A2A started, the latest change first. */
export async function listTasks(
  host: ProtocolHost,
  { assistant_id: assistantId }: AssistantRecord,
  request: ListTasksRequest,
): Promise<ListTasksResponse> {
  const { contextId, status, pageSize = 50, pageToken, historyLength, statusTimestampAfter: since } = request;
  const { services } = await host.permit(search, { body: threadSearch.parse({}) });
  const threadId = contextId === "" ? undefined : threadOfContext(host.user, contextId);
  const recent = services.runs
    .tasks(assistantId, threadId)
    .filter(({ last }) => !since || Date.parse(last.updated_at) >= Date.parse(since));
  const chosen = status ? await withStatus(services, recent, status) : recent;
  const start = pageToken ? startAfter(chosen, pageToken) : 0;
  const page = chosen.slice(start, start + pageSize);
  const tasks: Task[] = [];
  for (const { first } of page) {
    const found = await unlessDeleted(services, first);
    if (!found) continue;
    const task = shortened(found, historyLength);
    tasks.push(request.includeArtifacts ? task : { ...task, artifacts: [] });
  }
  const last = page.at(-1);
  const hasMore = last !== undefined && start + page.length < chosen.length;
  return { tasks, nextPageToken: hasMore ? tokenOf(last) : "", pageSize, totalSize: chosen.length };
}

interface Listed {
  first: RunRecord;
  last: RunRecord;
}

/** The token of the page after a task: when that changed, and its id. */
function tokenOf({ first, last }: Listed): string {
  return `${Date.parse(last.updated_at)}.${first.run_id}`;
}

/**
 * The index after the task of a token or, if that has changed or is no longer there, of the first that isn't newer:
 * tasks of the same millisecond may come twice, but none is left out.
 */
function startAfter(tasks: readonly Listed[], token: string): number {
  const index = tasks.findIndex((task) => tokenOf(task) === token);
  if (index >= 0) return index + 1;
  const next = tasks.findIndex(({ last }) => Date.parse(last.updated_at) <= Number.parseInt(token, 10));
  return next < 0 ? tasks.length : next;
}

async function withStatus(services: TaskServices, tasks: readonly Listed[], status: TaskState): Promise<Listed[]> {
  const chosen: Listed[] = [];
  for (const [index, task] of tasks.entries()) {
    if (index % batchSize === batchSize - 1) await setImmediate();
    if ((await unlessDeleted(services, task.first))?.status?.state === status) chosen.push(task);
  }
  return chosen;
}

async function unlessDeleted(services: TaskServices, first: RunRecord): Promise<Task | undefined> {
  try {
    return await taskOf(services, first);
  } catch (error) {
    if (error instanceof HttpError && error.status === 404) return undefined;
    throw error;
  }
}
