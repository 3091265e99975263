import fc from "fast-check";
import { expect, test } from "vitest";
import { AccessFilters } from "../../../mock-server/agent-server/auth/access-filters.ts";
import { agentSchema } from "../../../mock-server/agent-server/persistence/agent-schema.ts";
import { AgentState } from "../../../mock-server/agent-server/persistence/agent-state.ts";
import type { ThreadRecord } from "../../../mock-server/agent-server/persistence/records.ts";
import type { ThreadFilter, ThreadOrder } from "../../../mock-server/agent-server/persistence/thread-search.ts";
import { contains, passesFilter } from "../../../mock-server/kit/metadata-filter.ts";
import { Database } from "../../../mock-server/kit/store/database.ts";

// Few names and values, so that threads often match; some values are too long for the index.
const name = fc.constantFrom("a", "b", 'quote"d', "a.b", "ünï");
const scalar = fc.constantFrom<unknown>(1, 0, -1.5, "1", "x", "", 'a":1', true, false, null, "l".repeat(300));
const value = fc.oneof(
  { weight: 3, arbitrary: scalar },
  fc.array(scalar, { maxLength: 2 }),
  fc.dictionary(name, fc.oneof(scalar, fc.array(scalar, { maxLength: 2 })), { maxKeys: 2, noNullPrototype: true }),
);
const fields = fc.dictionary(name, value, { maxKeys: 4, noNullPrototype: true });
const status = fc.constantFrom("idle" as const, "busy" as const, "interrupted" as const, "error" as const);
const second = fc.integer({ min: 0, max: 3 });
const timeAt = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds)).toISOString();
const idOf = (index: number) => `00000000-0000-4000-8000-${String((index * 7) % 31).padStart(12, "0")}`;

const threads = fc.array(
  fc.record({ metadata: fields, values: fc.option(fields), status, created: second, updated: second }),
  {
    maxLength: 12,
  },
);

const accessFilter = fc.oneof(
  fields,
  fc.dictionary(
    name,
    fc.oneof(
      scalar.map(($eq) => ({ $eq })),
      scalar.map(($contains) => ({ $contains })),
    ),
    { maxKeys: 1, noNullPrototype: true },
  ),
);

const search = fc.record({
  ids: fc.option(fc.array(fc.integer({ min: 0, max: 12 }).map(idOf), { maxLength: 8 }), { nil: undefined }),
  status: fc.option(status, { nil: undefined }),
  metadata: fc.option(fc.dictionary(name, value, { maxKeys: 2, noNullPrototype: true }), { nil: undefined }),
  values: fc.option(fc.dictionary(name, value, { maxKeys: 1, noNullPrototype: true }), { nil: undefined }),
});
const order = fc.record({
  by: fc.constantFrom("thread_id", "status", "created_at", "updated_at", "state_updated_at") as fc.Arbitrary<
    ThreadOrder["by"]
  >,
  direction: fc.constantFrom("asc" as const, "desc" as const),
});

function isFound(thread: ThreadRecord, { ids, status, metadata, values }: ThreadFilter, access: object[]): boolean {
  return (
    (!ids || ids.includes(thread.thread_id)) &&
    (!status || thread.status === status) &&
    (!metadata || contains(thread.metadata, metadata)) &&
    (!values || contains(thread.values ?? {}, values)) &&
    access.every((filter) => passesFilter({ ...filter }, thread.metadata))
  );
}

async function fill(
  rows: { metadata: object; values: object | null; status: string; created: number; updated: number }[],
) {
  const database = await Database.inMemory([agentSchema]);
  const state = AgentState.open(database, "one", () => 0);
  const other = AgentState.open(database, "another", () => 0);
  const all = rows.map(({ metadata, values, status, created, updated }, index) => {
    const record = {
      thread_id: idOf(index),
      created_at: timeAt(created),
      updated_at: timeAt(updated),
      state_updated_at: timeAt((created + updated) % 3),
      status,
      metadata,
      values,
      config: {},
      interrupts: {},
      error: null,
      ttl: null,
    } as ThreadRecord;
    // Inserted and then changed, because threads usually are.
    state.threads.insert({ ...record, metadata: { a: "x" }, values: { b: 1 }, status: "idle" });
    state.threads.update(record.thread_id, { metadata: record.metadata, values: record.values, status: record.status });
    other.threads.insert(record);
    return record;
  });
  return { database, state, all };
}

test("a search finds the same threads in the same order as a full scan", async () => {
  await fc.assert(
    fc.asyncProperty(
      threads,
      search,
      order,
      fc.array(accessFilter, { maxLength: 2 }),
      fc.integer({ min: 0, max: 4 }),
      fc.integer({ min: 1, max: 6 }),
      async (rows, filter, { by, direction }, filters, offset, limit) => {
        const { database, state, all } = await fill(rows);
        const access = new AccessFilters();
        for (const one of filters) access.limit("threads", one);
        const { threads } = state.visibleTo(access);
        const sign = direction === "asc" ? 1 : -1;
        const expected = all
          .map((thread, index) => ({ thread, index }))
          .filter(({ thread }) => isFound(thread, filter, filters))
          .sort((a, b) => {
            if (a.thread[by] === b.thread[by]) return sign * (a.index - b.index);
            return a.thread[by] < b.thread[by] ? -sign : sign;
          })
          .map(({ thread }) => thread);
        const page = threads.search(filter, { by, direction }, limit, offset);
        expect(page).toEqual({ rows: expected.slice(offset, offset + limit), total: expected.length });
        expect(threads.count(filter)).toBe(expected.length);
        expect(threads.ids(filter).sort()).toEqual(expected.map(({ thread_id: id }) => id).sort());
        for (const thread of all) {
          const isVisible = isFound(thread, {}, filters);
          expect(threads.get(thread.thread_id)).toEqual(isVisible ? thread : undefined);
        }
        database.close();
      },
    ),
    { numRuns: 300 },
  );
});

test("a search with more matches than the sort limit finds the same as one with few matches", async () => {
  const { database, state, all } = await fill(
    Array.from({ length: 31 }, (_, index) => ({
      metadata: { half: index % 2, owner: { name: index % 3 } },
      values: null,
      status: "idle",
      created: index % 5,
      updated: 0,
    })),
  );
  database.transaction(() => {
    for (let index = 0; index < 2500; index++) {
      const thread_id = `10000000-0000-4000-8000-${String(index).padStart(12, "0")}`;
      state.threads.insert({ ...(all[0] as ThreadRecord), thread_id, created_at: timeAt(-1 - index) });
    }
  });
  const byCreation = { by: "created_at", direction: "desc" } as const;
  for (const filter of [
    {},
    { metadata: { half: 0 } },
    { metadata: { half: 0, owner: { name: 0 } } },
    { status: "idle" as const },
  ]) {
    const { rows, total } = state.threads.search(filter, byCreation, 5, 0);
    const passing = all.filter((thread) => isFound(thread, filter, []));
    expect(total).toBe(passing.length + 2500);
    const newestFirst = passing
      .reverse()
      .sort((a, b) => (a.created_at < b.created_at ? 1 : a.created_at > b.created_at ? -1 : 0));
    expect(rows).toEqual(newestFirst.slice(0, 5));
  }
});
