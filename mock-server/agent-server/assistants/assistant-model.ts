import type { z } from "zod";
import { HttpError } from "../../kit/http/http-error.ts";
import type { AgentHost } from "../agent-host.ts";
import type { Graph } from "../engine/graph.ts";
import { isUuid, uuidOfName } from "../engine/identifiers.ts";
import { contains } from "../paging.ts";
import { versionKey } from "../state/agent-state.ts";
import type { AssistantContent, AssistantRecord } from "../state/records.ts";
import type { assistantCreate, assistantPatch } from "./assistant-schemas.ts";

/** The id of a graph's default assistant: a version 5 UUID of its name. */
export function defaultAssistantId(graphId: string): string {
  return uuidOfName(graphId);
}

/** @throws {HttpError} 404 unless `id` is an assistant's or a graph's. */
export async function findAssistant(host: AgentHost, id: string): Promise<AssistantRecord> {
  const key = host.graphs.has(id) ? defaultAssistantId(id) : id.toLowerCase();
  const found = await host.state.assistants.get(key);
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
export async function makeDefaultAssistants(host: AgentHost): Promise<void> {
  for (const graph of host.graphs.values()) {
    const assistantId = defaultAssistantId(graph.id);
    if (await host.state.assistants.get(assistantId)) continue;
    await insert(host, assistantId, {
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
export async function createAssistant(
  host: AgentHost,
  body: z.output<typeof assistantCreate>,
): Promise<AssistantRecord> {
  findGraph(host, body.graph_id);
  const assistantId = body.assistant_id?.toLowerCase() ?? host.ids.uuid();
  return host.locks.run(assistantId, async () => {
    const existing = await host.state.assistants.get(assistantId);
    if (existing && body.if_exists === "do_nothing") return existing;
    if (existing) throw new HttpError(409, `Assistant ${assistantId} exists already.`);
    return insert(host, assistantId, {
      graph_id: body.graph_id,
      config: body.config ?? {},
      context: body.context ?? {},
      metadata: body.metadata ?? {},
      name: body.name ?? "Untitled",
      description: body.description ?? null,
    });
  });
}

async function insert(host: AgentHost, assistantId: string, content: AssistantContent): Promise<AssistantRecord> {
  const now = host.timestamp();
  const sequence = host.state.nextSequence();
  const base = { sequence, assistant_id: assistantId, version: 1, created_at: now };
  const record: AssistantRecord = { ...base, ...content, updated_at: now };
  await host.state.assistants.put(record);
  await host.state.versions.put({ ...base, ...content });
  return record;
}

/** Makes the next version and puts it into use. What is left out stays; `config` and `context` are replaced whole, `metadata` is merged. */
export async function patchAssistant(
  host: AgentHost,
  id: string,
  patch: z.output<typeof assistantPatch>,
): Promise<AssistantRecord> {
  if (patch.graph_id !== undefined) findGraph(host, patch.graph_id);
  const { assistant_id: assistantId } = await findAssistant(host, id);
  return host.locks.run(assistantId, async () => {
    const before = await findAssistant(host, assistantId);
    const versions = await host.state.versions.group(assistantId);
    const content: AssistantContent = {
      graph_id: patch.graph_id ?? before.graph_id,
      config: patch.config ?? before.config,
      context: patch.context ?? before.context,
      metadata: { ...before.metadata, ...patch.metadata },
      name: patch.name ?? before.name,
      description: patch.description ?? before.description,
    };
    const version = Math.max(...versions.map((entry) => entry.version)) + 1;
    const now = host.timestamp();
    await host.state.versions.put({
      sequence: host.state.nextSequence(),
      assistant_id: assistantId,
      version,
      created_at: now,
      ...content,
    });
    const record = { ...before, ...content, version, updated_at: now };
    await host.state.assistants.put(record);
    return record;
  });
}

/** Puts a version into use. @throws {HttpError} 404 when there is no such version. */
export async function activateVersion(host: AgentHost, id: string, version: number): Promise<AssistantRecord> {
  const { assistant_id: assistantId } = await findAssistant(host, id);
  return host.locks.run(assistantId, async () => {
    const before = await findAssistant(host, assistantId);
    const chosen = await host.state.versions.get(versionKey(assistantId, version));
    if (!chosen) throw new HttpError(404, `Assistant ${assistantId} has no version ${version}.`);
    const { sequence: _, created_at: __, ...content } = chosen;
    const record = { ...before, ...content, updated_at: host.timestamp() };
    await host.state.assistants.put(record);
    return record;
  });
}

/** Removes an assistant, all its versions and its schedules; a graph's default assistant stays. */
export async function deleteAssistant(host: AgentHost, id: string, deleteThreads: boolean): Promise<void> {
  const { assistant_id: assistantId, graph_id: graphId } = await findAssistant(host, id);
  if (assistantId === defaultAssistantId(graphId) && host.graphs.has(graphId)) {
    throw new HttpError(422, `Assistant ${assistantId} is the default of graph ${graphId} and can't be deleted.`);
  }
  await host.locks.run(assistantId, async () => {
    await host.state.assistants.remove(assistantId);
    await host.state.versions.removeGroup(assistantId);
  });
  const crons = await host.state.crons.find({ accept: (cron) => cron.assistant_id === assistantId });
  for (const { cron_id } of crons.rows) await host.crons.remove(cron_id);
  if (!deleteThreads) return;
  const threads = await host.state.threads.find({
    accept: ({ metadata }) => metadata.assistant_id === assistantId,
  });
  for (const { thread_id } of threads.rows) await host.runs.deleteThread(thread_id);
}

/** Whether an assistant or a version of one passes a search. */
export function assistantFilter({
  metadata,
  graph_id,
  name,
}: {
  metadata?: Record<string, unknown> | undefined;
  graph_id?: string | undefined;
  name?: string | undefined;
}): (record: AssistantContent) => boolean {
  const wantedName = name?.toLowerCase();
  return (record) =>
    (graph_id === undefined || record.graph_id === graph_id) &&
    (wantedName === undefined || record.name.toLowerCase().includes(wantedName)) &&
    (metadata === undefined || contains(record.metadata, metadata));
}
