import type { ListTasksRequest, ListTasksResponse, Task } from "@a2a-js/sdk";
import { byBody } from "../auth/access-rule.ts";
import type { AssistantRecord, RunRecord } from "../persistence/records.ts";
import type { ProtocolHost } from "../protocol-host.ts";
import { threadSearch } from "../threads/thread-schemas.ts";
import { threadOfContext } from "./context-id.ts";
import { shortened, taskOf } from "./task-view.ts";

const search = { access: byBody("threads", "search"), body: { schema: threadSearch, required: false } };

/** The tasks of an assistant that clients of A2A started, newest first; a token is the number of those before. */
export async function listTasks(
  host: ProtocolHost,
  { assistant_id: assistantId }: AssistantRecord,
  {
    contextId,
    status,
    pageSize = 50,
    pageToken,
    historyLength,
    statusTimestampAfter,
    includeArtifacts,
  }: ListTasksRequest,
): Promise<ListTasksResponse> {
  const { services } = await host.permit(search, { body: threadSearch.parse({}) });
  const firsts = services.runs.firstOfTasks(
    assistantId,
    contextId === "" ? undefined : threadOfContext(host.user, contextId),
  );
  const wanted = ({ status: shown }: Task) =>
    (!status || shown?.state === status) &&
    (!statusTimestampAfter || Date.parse(shown?.timestamp ?? "") >= Date.parse(statusTimestampAfter));
  const isFiltered = Boolean(status || statusTimestampAfter);
  const chosen: RunRecord[] = [];
  for (const first of firsts) if (!isFiltered || wanted(await taskOf(services, first))) chosen.push(first);
  const offset = Number(pageToken || 0);
  const page = chosen.slice(offset, offset + pageSize);
  const tasks: Task[] = [];
  for (const first of page) {
    const task = shortened(await taskOf(services, first), historyLength);
    tasks.push(includeArtifacts ? task : { ...task, artifacts: [] });
  }
  const next = offset + page.length;
  return { tasks, nextPageToken: next < chosen.length ? String(next) : "", pageSize, totalSize: chosen.length };
}
