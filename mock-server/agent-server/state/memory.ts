import {
  type AgentState,
  checkpointKey,
  itemKey,
  type Page,
  type Query,
  type Table,
  versionKey,
  writeKey,
} from "./agent-state.ts";

/** A state that lives as long as the process. */
export function createMemoryAgentState(): AgentState {
  let sequence = 0;
  return {
    assistants: new MemoryTable((row) => row.assistant_id),
    versions: new MemoryTable(
      (row) => versionKey(row.assistant_id, row.version),
      (row) => row.assistant_id,
    ),
    threads: new MemoryTable((row) => row.thread_id),
    runs: new MemoryTable(
      (row) => row.run_id,
      (row) => row.thread_id,
    ),
    checkpoints: new MemoryTable(
      (row) => checkpointKey(row.threadId, row.id),
      (row) => row.threadId,
    ),
    writes: new MemoryTable(writeKey, (row) => row.threadId),
    items: new MemoryTable((row) => itemKey(row.namespace, row.key)),
    crons: new MemoryTable(
      (row) => row.cron_id,
      (row) => row.thread_id ?? "",
    ),
    nextSequence: () => ++sequence,
  };
}

class MemoryTable<Row extends { sequence: number }> implements Table<Row> {
  readonly #rows = new Map<string, Row>();
  readonly #groups = new Map<string, Map<string, Row>>();
  readonly #keyOf: (row: Row) => string;
  readonly #groupOf: ((row: Row) => string) | undefined;

  constructor(keyOf: (row: Row) => string, groupOf?: (row: Row) => string) {
    this.#keyOf = keyOf;
    this.#groupOf = groupOf;
  }

  async get(id: string): Promise<Row | undefined> {
    return this.#rows.get(id);
  }

  async put(row: Row): Promise<void> {
    const key = this.#keyOf(row);
    this.#rows.set(key, row);
    if (!this.#groupOf) return;
    const name = this.#groupOf(row);
    let group = this.#groups.get(name);
    if (!group) {
      group = new Map();
      this.#groups.set(name, group);
    }
    group.set(key, row);
  }

  async remove(id: string): Promise<boolean> {
    const row = this.#rows.get(id);
    if (!row) return false;
    this.#rows.delete(id);
    if (this.#groupOf) {
      const name = this.#groupOf(row);
      const group = this.#groups.get(name);
      group?.delete(id);
      if (group?.size === 0) this.#groups.delete(name);
    }
    return true;
  }

  async group(name: string): Promise<readonly Row[]> {
    return [...(this.#groups.get(name)?.values() ?? [])];
  }

  async removeGroup(name: string): Promise<void> {
    for (const key of this.#groups.get(name)?.keys() ?? []) this.#rows.delete(key);
    this.#groups.delete(name);
  }

  async find({ accept, compare, offset = 0, limit = Number.POSITIVE_INFINITY }: Query<Row>): Promise<Page<Row>> {
    const all = [...this.#rows.values()];
    const rows = accept ? all.filter(accept) : all;
    rows.sort(compare ?? ((a, b) => b.sequence - a.sequence));
    return { rows: rows.slice(offset, offset + limit), total: rows.length };
  }
}
