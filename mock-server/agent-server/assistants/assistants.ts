import type { z } from "zod";
import { HttpError } from "../../kit/http/http-error.ts";
import { timestamp } from "../../kit/timestamp.ts";
import type { AgentRuntime } from "../agent-runtime.ts";
import type { AuthUser } from "../auth/auth-user.ts";
import type { CronTimer } from "../crons/cron-timer.ts";
import type { Fields, Graph, GraphSettings } from "../engine/contract.ts";
import { graphSettings } from "../engine/graph-settings.ts";
import { isUuid } from "../engine/identifiers.ts";
import type { AgentState } from "../persistence/agent-state.ts";
import type { AssistantFilter, AssistantOrder } from "../persistence/assistant-table.ts";
import type { Page } from "../persistence/page.ts";
import type { AssistantContent, AssistantRecord } from "../persistence/records.ts";
import type { LiveRuns } from "../runs/live-runs.ts";
import type { assistantCreate, assistantPatch } from "./assistant-schemas.ts";
import type { DefaultAssistants } from "./default-assistants.ts";
import type { Graphs } from "./graphs.ts";

interface AssistantsDependencies extends Pick<AgentRuntime, "clock" | "ids"> {
  /** Limited to what the caller may see. */
  state: Pick<AgentState, "assistants" | "threads" | "transaction">;
  graphs: Graphs;
  defaults: DefaultAssistants;
  /** The caller; `null` without auth handlers. */
  user: AuthUser | null;
  cronTimer: Pick<CronTimer, "removeAll">;
  runs: Pick<LiveRuns, "deleteThread">;
}

/** The assistants that a caller may see. */
export class Assistants {
  readonly #dependencies: AssistantsDependencies;

  constructor(dependencies: AssistantsDependencies) {
    this.#dependencies = dependencies;
  }

  /** @throws {HttpError} 404 unless `id` is that of an assistant or a graph. */
  find(id: string): AssistantRecord {
    const { state, graphs } = this.#dependencies;
    const found = state.assistants.get(graphs.assistantIdOf(id));
    if (found) return found;
    throw new HttpError(404, `Assistant ${id} not found.${isUuid(id) ? "" : ` ${graphs.advice}`}`);
  }

  /**
   * The assistant for a new run; default assistants are available to every caller.
   * @throws {HttpError} 404 unless `id` is that of an assistant or a graph.
   */
  findToRun(id: string): AssistantRecord {
    return this.#dependencies.defaults.find(id) ?? this.find(id);
  }

  /** The graph of an assistant and the settings for it. @throws {HttpError} 404 when either doesn't exist. */
  graphOf(id: string): { graph: Graph; settings: GraphSettings } {
    return this.#graphOf(this.find(id));
  }

  /** Like {@link graphOf}, for an assistant that is run: default assistants are available to every caller. */
  graphToRun(id: string): { graph: Graph; settings: GraphSettings } {
    return this.#graphOf(this.findToRun(id));
  }

  #graphOf({ graph_id: graphId, config, context }: AssistantRecord): { graph: Graph; settings: GraphSettings } {
    const { graphs, user } = this.#dependencies;
    return { graph: graphs.find(graphId), settings: graphSettings(config, context, user) };
  }

  search(filter: AssistantFilter, order: AssistantOrder, limit: number, offset: number): Page<AssistantRecord> {
    return this.#dependencies.state.assistants.search(filter, order, limit, offset);
  }

  count(filter: AssistantFilter): number {
    return this.#dependencies.state.assistants.count(filter);
  }

  /** @throws {HttpError} 404 for an unknown graph, 409 for an id in use, unless `if_exists` is `do_nothing`. */
  create(body: z.output<typeof assistantCreate>): AssistantRecord {
    const { state, graphs, ids } = this.#dependencies;
    graphs.find(body.graph_id);
    const assistantId = body.assistant_id?.toLowerCase() ?? ids.uuid();
    const existing = body.if_exists === "do_nothing" ? state.assistants.get(assistantId) : undefined;
    return (
      existing ??
      this.#insert(assistantId, {
        graph_id: body.graph_id,
        config: body.config ?? {},
        context: body.context ?? {},
        metadata: body.metadata ?? {},
        name: body.name ?? "Untitled",
        description: body.description ?? null,
      })
    );
  }

  /**
   * Creates a version and makes it the current one. Omitted fields keep their values; `config` and `context` are
   * replaced, `metadata` is merged.
   * @throws {HttpError} 404 for an unknown assistant or graph.
   */
  patch(id: string, { metadata, ...patch }: z.output<typeof assistantPatch>): AssistantRecord {
    const { state, graphs } = this.#dependencies;
    if (patch.graph_id !== undefined) graphs.find(patch.graph_id);
    const before = this.find(id);
    return this.#use({
      ...before,
      ...patch,
      metadata: { ...before.metadata, ...metadata },
      version: state.assistants.lastVersion(before.assistant_id) + 1,
    } as AssistantRecord);
  }

  /** The versions whose metadata contains `metadata`, newest first. */
  versions(id: string, metadata: Fields | undefined, limit: number, offset: number): AssistantRecord[] {
    const found = this.#dependencies.state.assistants.versions(this.find(id).assistant_id, metadata, limit, offset);
    return found.map((version) => ({ ...version, updated_at: version.created_at }));
  }

  /** Makes a version the current one. @throws {HttpError} 404 for an unknown version. */
  activateVersion(id: string, version: number): AssistantRecord {
    const before = this.find(id);
    const chosen = this.#dependencies.state.assistants.version(before.assistant_id, version);
    if (!chosen) throw new HttpError(404, `Assistant ${before.assistant_id} has no version ${version}.`);
    return this.#use({ ...before, ...chosen, created_at: before.created_at });
  }

  /**
   * Deletes an assistant with its versions and schedules.
   * @throws {HttpError} 404 for an unknown one, 422 for a default assistant.
   */
  async delete(id: string, deleteThreads: boolean): Promise<void> {
    const { state, graphs, cronTimer, runs } = this.#dependencies;
    const { assistant_id: assistantId, graph_id: graphId } = this.find(id);
    if (graphs.hasDefault(assistantId)) {
      throw new HttpError(422, `Assistant ${assistantId} is the default of graph ${graphId} and can't be deleted.`);
    }
    state.transaction(() => {
      state.assistants.remove(assistantId);
      cronTimer.removeAll({ assistant_id: assistantId });
    });
    if (!deleteThreads) return;
    const threads = state.threads.ids({ metadata: { assistant_id: assistantId } });
    for (const threadId of threads) await runs.deleteThread(threadId);
  }

  /** Deletes all assistants and recreates the default ones. */
  clear(): void {
    this.#dependencies.state.assistants.clear();
    this.#dependencies.defaults.make();
  }

  #insert(assistantId: string, content: AssistantContent): AssistantRecord {
    const now = timestamp(this.#dependencies.clock.now());
    const record = { assistant_id: assistantId, version: 1, created_at: now, updated_at: now, ...content };
    const isAdded = this.#dependencies.state.assistants.insert(record);
    if (!isAdded) throw new HttpError(409, `Assistant ${assistantId} exists already.`);
    return record;
  }

  #use(version: AssistantRecord): AssistantRecord {
    const { state, clock } = this.#dependencies;
    const record = { ...version, updated_at: timestamp(clock.now()) };
    state.assistants.use(record);
    return record;
  }
}
