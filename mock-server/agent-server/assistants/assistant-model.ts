import type { z } from "zod";
import { HttpError } from "../../kit/http/http-error.ts";
import type { AgentHost } from "../agent-host.ts";
import type { Graph } from "../engine/contract.ts";
import { isUuid, uuidOfName } from "../engine/identifiers.ts";
import type { AssistantContent, AssistantRecord } from "../persistence/records.ts";
import type { assistantCreate, assistantPatch } from "./assistant-schemas.ts";

/** The id of a graph's default assistant: a version 5 UUID of its name. */
export function defaultAssistantId(graphId: string): string {
  return uuidOfName(graphId);
}

/** @throws {HttpError} 404 unless `id` is an assistant's or a graph's. */
export function findAssistant(host: AgentHost, id: string): AssistantRecord {
  const key = host.graphs.has(id) ? defaultAssistantId(id) : id.toLowerCase();
  const found = host.state.assistants.get(key);
  if (found) return found;
  const advice = isUuid(id) ? "" : ` Graphs are: ${[...host.graphs.keys()].join(", ")}.`;
  throw new HttpError(404, `Assistant ${id} not found.${advice}`);
}

/** @throws {HttpError} 404 when the server has no such graph. */
export function findGraph(host: AgentHost, graphId: string): Graph {
  const graph = host.graphs.get(graphId);
  if (graph) return graph;
  throw new HttpError(404, `Graph ${graphId} not found. Graphs are: ${[...host.graphs.keys()].join(", ")}.`);
}

/** Makes the default assistant of every graph that has none yet. */
export function makeDefaultAssistants(host: AgentHost): void {
  for (const graph of host.graphs.values()) {
    const assistantId = defaultAssistantId(graph.id);
    if (host.state.assistants.get(assistantId)) continue;
    insert(host, assistantId, {
      graph_id: graph.id,
      config: {},
      context: {},
      metadata: { created_by: "system" },
      name: graph.id,
      description: graph.description,
    });
  }
}

/** @throws {HttpError} 404 for an unknown graph, 409 for an id in use, unless that is to be ignored. */
export function createAssistant(host: AgentHost, body: z.output<typeof assistantCreate>): AssistantRecord {
  findGraph(host, body.graph_id);
  const assistantId = body.assistant_id?.toLowerCase() ?? host.ids.uuid();
  const existing = body.if_exists === "do_nothing" ? host.state.assistants.get(assistantId) : undefined;
  return (
    existing ??
    insert(host, assistantId, {
      graph_id: body.graph_id,
      config: body.config ?? {},
      context: body.context ?? {},
      metadata: body.metadata ?? {},
      name: body.name ?? "Untitled",
      description: body.description ?? null,
    })
  );
}

function insert(host: AgentHost, assistantId: string, content: AssistantContent): AssistantRecord {
  const now = host.timestamp();
  const record = { assistant_id: assistantId, version: 1, created_at: now, updated_at: now, ...content };
  if (!host.state.assistants.insert(record)) throw new HttpError(409, `Assistant ${assistantId} exists already.`);
  return record;
}

/** Makes the next version and puts it into use. What is left out stays; `config` and `context` are replaced whole, `metadata` is merged. */
export function patchAssistant(host: AgentHost, id: string, patch: z.output<typeof assistantPatch>): AssistantRecord {
  if (patch.graph_id !== undefined) findGraph(host, patch.graph_id);
  const before = findAssistant(host, id);
  const record: AssistantRecord = {
    ...before,
    graph_id: patch.graph_id ?? before.graph_id,
    config: patch.config ?? before.config,
    context: patch.context ?? before.context,
    metadata: { ...before.metadata, ...patch.metadata },
    name: patch.name ?? before.name,
    description: patch.description ?? before.description,
    version: host.state.assistants.lastVersion(before.assistant_id) + 1,
    updated_at: host.timestamp(),
  };
  host.state.assistants.use(record);
  return record;
}

/** Puts a version into use. @throws {HttpError} 404 when there is no such version. */
export function activateVersion(host: AgentHost, id: string, version: number): AssistantRecord {
  const before = findAssistant(host, id);
  const chosen = host.state.assistants.version(before.assistant_id, version);
  if (!chosen) throw new HttpError(404, `Assistant ${before.assistant_id} has no version ${version}.`);
  const { created_at: _, ...content } = chosen;
  const record = { ...before, ...content, updated_at: host.timestamp() };
  host.state.assistants.use(record);
  return record;
}

/** Removes an assistant, all its versions and its schedules; a graph's default assistant stays. */
export async function deleteAssistant(host: AgentHost, id: string, deleteThreads: boolean): Promise<void> {
  const { assistant_id: assistantId, graph_id: graphId } = findAssistant(host, id);
  if (assistantId === defaultAssistantId(graphId) && host.graphs.has(graphId)) {
    throw new HttpError(422, `Assistant ${assistantId} is the default of graph ${graphId} and can't be deleted.`);
  }
  host.state.transaction(() => {
    host.state.assistants.remove(assistantId);
    for (const { cron_id: cronId } of host.state.crons.all({ assistant_id: assistantId })) host.crons.remove(cronId);
  });
  if (!deleteThreads) return;
  const threads = host.state.threads.ids({ metadata: { assistant_id: assistantId } });
  for (const threadId of threads) await host.runs.deleteThread(threadId);
}
