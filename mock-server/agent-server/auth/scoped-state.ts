import { HttpError } from "../../kit/http/http-error.ts";
import type { Fields } from "../engine/graph.ts";
import { type AgentState, itemKey, type Page, type Query, type Table } from "../state/agent-state.ts";
import type { ItemRecord } from "../state/records.ts";
import { passesFilter } from "./auth-filter.ts";
import type { AuthResource } from "./auth-handlers.ts";

/** What the handlers have limited a request to. */
export class Scope {
  /** Metadata for the threads that the request makes of others. */
  copiedMetadata: Fields = {};
  readonly #filters = new Map<AuthResource, Fields[]>();

  /** Limits the request further. */
  limit(resource: AuthResource, filter: Fields | null): void {
    if (filter === null || Object.keys(filter).length === 0) return;
    this.#filters.set(resource, [...(this.#filters.get(resource) ?? []), filter]);
  }

  isLimited(resource: AuthResource): boolean {
    return this.#filters.has(resource);
  }

  passes(resource: AuthResource, metadata: Fields): boolean {
    return (this.#filters.get(resource) ?? []).every((filter) => passesFilter(filter, metadata));
  }
}

/** The state as a request sees it: what it may not see isn't there, and can't be overwritten. */
export function scopedState(state: AgentState, scope: Scope): AgentState {
  const withMetadata =
    (resource: AuthResource) =>
    ({ metadata }: { metadata: Fields }) =>
      scope.passes(resource, metadata);
  const scoped = { ...state, nextSequence: () => state.nextSequence() };
  if (scope.isLimited("assistants")) {
    scoped.assistants = scopedTable(state.assistants, withMetadata("assistants"), (row) => row.assistant_id);
  }
  if (scope.isLimited("threads")) {
    scoped.threads = scopedTable(state.threads, withMetadata("threads"), (row) => row.thread_id);
    scoped.runs = scopedTable(
      state.runs,
      async ({ thread_id }) => (await scoped.threads.get(thread_id)) !== undefined,
      (row) => row.run_id,
    );
  }
  if (scope.isLimited("crons")) {
    scoped.crons = scopedTable(state.crons, withMetadata("crons"), (row) => row.cron_id);
  }
  if (scope.isLimited("store")) {
    const isVisible = ({ value, namespace, key }: ItemRecord) => scope.passes("store", { ...value, namespace, key });
    scoped.items = scopedTable(state.items, isVisible, (row) => itemKey(row.namespace, row.key));
  }
  return scoped;
}

function scopedTable<Row>(
  table: Table<Row>,
  isVisible: (row: Row) => boolean | Promise<boolean>,
  keyOf: (row: Row) => string,
): Table<Row> {
  const visible = async (rows: readonly Row[]) => {
    const marks = await Promise.all(rows.map(isVisible));
    return rows.filter((_, index) => marks[index]);
  };
  const get = async (id: string) => {
    const row = await table.get(id);
    return row && (await isVisible(row)) ? row : undefined;
  };
  return {
    get,
    async put(row) {
      const before = await table.get(keyOf(row));
      if (before && !(await isVisible(before))) throw new HttpError(409, `${keyOf(row)} exists already.`);
      await table.put(row);
    },
    remove: async (id) => ((await get(id)) ? table.remove(id) : false),
    group: async (name) => visible(await table.group(name)),
    removeGroup: (name) => table.removeGroup(name),
    async find({ limit, offset = 0, ...query }: Query<Row>): Promise<Page<Row>> {
      const rows = await visible((await table.find(query)).rows);
      return { rows: rows.slice(offset, limit === undefined ? undefined : offset + limit), total: rows.length };
    },
  };
}
