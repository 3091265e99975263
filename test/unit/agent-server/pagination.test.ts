import fc from "fast-check";
import { expect, test } from "vitest";
import { startAgent, type TestAgent, thread } from "../../kit/agent-server/agent.ts";

// biome-ignore lint/suspicious/noExplicitAny: rows have any shape
type Row = any;

/** Reads all pages by following `x-pagination-next`, and checks the headers of each. */
async function readPages(agent: TestAgent, path: string, body: object, limit: number): Promise<Row[]> {
  const rows: Row[] = [];
  for (let offset: number | null = 0; offset !== null; ) {
    const response = await agent.call("POST", path, { ...body, limit, offset });
    expect(response.body.length).toBeLessThanOrEqual(limit);
    rows.push(...response.body);
    const next = response.headers.get("x-pagination-next");
    expect(next).toBe(rows.length < Number(response.headers.get("x-pagination-total")) ? String(rows.length) : null);
    offset = next === null ? null : Number(next);
  }
  return rows;
}

function expectOrder(rows: Row[], field: string, order: "asc" | "desc"): void {
  const keys = rows.map((row) => row[field]);
  expect(keys).toEqual(order === "asc" ? [...keys].sort() : [...keys].sort().reverse());
}

const groups = fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 25 });
const limits = fc.integer({ min: 1, max: 10 });
const order = fc.constantFrom("asc" as const, "desc" as const);

test("pages of threads add up to the whole in the requested order, and the count matches", async () => {
  await fc.assert(
    fc.asyncProperty(
      groups,
      limits,
      order,
      fc.constantFrom("thread_id", "created_at", "updated_at", "status"),
      async (rows, limit, sort_order, sort_by) => {
        await using agent = await startAgent();
        for (const [index, group] of rows.entries()) {
          await agent.call("POST", "/threads", { thread_id: thread((index * 7) % 26), metadata: { group } });
          agent.clock.advance("1s");
        }
        const filter = { metadata: { group: 1 } };
        const read = await readPages(agent, "/threads/search", { ...filter, sort_by, sort_order }, limit);
        const wanted = rows.flatMap((group, index) => (group === 1 ? [thread((index * 7) % 26)] : []));
        expect(read.map(({ thread_id: id }) => id).sort()).toEqual(wanted.sort());
        expectOrder(read, sort_by, sort_order);
        expect((await agent.call("POST", "/threads/count", filter)).body).toBe(wanted.length);
      },
    ),
    { numRuns: 25 },
  );
});

test("pages of assistants add up to the whole in the requested order, and the count matches", async () => {
  await fc.assert(
    fc.asyncProperty(
      groups,
      limits,
      order,
      fc.constantFrom("name", "graph_id", "assistant_id", "created_at"),
      async (rows, limit, sort_order, sort_by) => {
        await using agent = await startAgent();
        for (const [index, group] of rows.entries()) {
          const body = { graph_id: group === 0 ? "chat" : "events", name: `n${(index * 7) % 26}`, metadata: { group } };
          await agent.call("POST", "/assistants", body);
          agent.clock.advance("1s");
        }
        const read = await readPages(agent, "/assistants/search", { sort_by, sort_order }, limit);
        const { body: count } = await agent.call("POST", "/assistants/count", {});
        expect(new Set(read.map(({ assistant_id: id }) => id)).size).toBe(count);
        expectOrder(read, sort_by, sort_order);
        const ofGroup = await readPages(agent, "/assistants/search", { metadata: { group: 2 } }, limit);
        expect(ofGroup).toHaveLength(rows.filter((group) => group === 2).length);
      },
    ),
    { numRuns: 25 },
  );
});

test("pages of runs, crons and items add up to the whole", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 12 }), limits, async (count, limit) => {
      await using agent = await startAgent();
      await agent.call("POST", "/threads", { thread_id: thread(1) });
      for (let index = 0; index < count; index++) {
        const run = { assistant_id: "events", input: { steps: 0 } };
        await agent.call("POST", `/threads/${thread(1)}/runs/wait`, run);
        await agent.call("POST", "/runs/crons", { assistant_id: "events", schedule: "0 0 * * *" });
        await agent.call("PUT", "/store/items", { namespace: ["a", `n${index}`], key: "k", value: { index } });
      }
      const readBy = async (ask: (offset: number) => Promise<Row[]>) => {
        const rows: Row[] = [];
        for (;;) {
          const page = await ask(rows.length);
          rows.push(...page);
          if (page.length < limit) return rows;
        }
      };
      const runs = await readBy(
        async (offset) => (await agent.call("GET", `/threads/${thread(1)}/runs?limit=${limit}&offset=${offset}`)).body,
      );
      expect(new Set(runs.map(({ run_id: id }) => id)).size).toBe(count);
      const post = async (path: string, body: object) => (await agent.call("POST", path, body)).body;
      const crons = await readBy((offset) => post("/runs/crons/search", { limit, offset }));
      expect(new Set(crons.map(({ cron_id: id }) => id)).size).toBe(await post("/runs/crons/count", {}));
      const prefix = { namespace_prefix: ["a"] };
      const items = await readBy(
        async (offset) => (await post("/store/items/search", { ...prefix, limit, offset })).items,
      );
      expect(items.map(({ value }) => value.index).sort((a, b) => a - b)).toEqual([...Array(count).keys()]);
      const namespaces = await readBy(
        async (offset) => (await post("/store/namespaces", { prefix: ["a"], limit, offset })).namespaces,
      );
      expect(new Set(namespaces.map((labels: string[]) => labels.join("."))).size).toBe(count);
    }),
    { numRuns: 15 },
  );
});
