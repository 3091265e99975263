import fc from "fast-check";
import { expect, test } from "vitest";
import { type Job, RunQueue } from "../../../mock-server/agent-server/runs/run-queue.ts";
import { itemFilter } from "../../../mock-server/agent-server/store/item-filter.ts";
import { EventLog } from "../../../mock-server/kit/event-log.ts";
import { contains } from "../../../mock-server/kit/metadata-filter.ts";
import { parseEvents, startAgent, thread } from "../../kit/agent-server/agent.ts";

const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)));

test("any value contains itself, and an object contains every part of itself", () => {
  fc.assert(fc.property(json, (value) => contains(value, value)));
  fc.assert(
    fc.property(fc.dictionary(fc.string(), json), (value) =>
      Object.entries(value).every(([name, part]) => contains(value, { [name]: part })),
    ),
  );
});

test("for any two numbers, exactly one of the filters less, equal and greater passes", () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer(), (value, wanted) => {
      const passing = ["$lt", "$eq", "$gt"].filter((name) => itemFilter({ n: { [name]: wanted } })({ n: value }));
      return passing.length === 1;
    }),
  );
});

test("a replay after any event has the events that followed it", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 30 }), async (count, after) => {
      const log = new EventLog({ keeps: true, now: () => 0 });
      for (let index = 1; index <= count; index++) log.publish("custom", "custom", String(index));
      log.end();
      const text = await new Response(log.read({ after: `0-${after}`, heartbeatMs: 1000 })).text();
      const expected = Array.from({ length: Math.max(0, count - after) }, (_, index) => after + index + 1);
      expect(parseEvents(text).map(({ data }) => data)).toEqual(expected);
    }),
  );
});

test("a queue runs every job once, those of a thread in order and never two at a time", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 40 }),
      fc.integer({ min: 1, max: 5 }),
      async (threads, workers) => {
        const begun: number[] = [];
        const active = new Set<string>();
        let maxRunning = 0;
        const queue = new RunQueue<Job>(workers, async ({ runId, threadId }) => {
          expect(active.has(threadId)).toBe(false);
          active.add(threadId);
          maxRunning = Math.max(maxRunning, active.size);
          begun.push(Number(runId));
          for (let turn = 0; turn < Number(runId) % 3; turn++) await null;
          active.delete(threadId);
        });
        for (const [index, owner] of threads.entries()) queue.add({ runId: String(index), threadId: String(owner) });
        while (queue.waiting + queue.running > 0) await new Promise((resolve) => setImmediate(resolve));
        expect(maxRunning).toBeLessThanOrEqual(workers);
        expect([...begun].sort((a, b) => a - b)).toEqual([...threads.keys()]);
        for (const owner of new Set(threads)) {
          const own = begun.filter((index) => threads[index] === owner);
          expect(own).toEqual([...own].sort((a, b) => a - b));
        }
      },
    ),
  );
});

test("whatever the strategies of its runs, a thread becomes idle, and each run ends as its strategy says", async () => {
  await using agent = await startAgent();
  let n = 0;
  const strategy = fc.constantFrom("reject", "rollback", "interrupt", "enqueue");
  await fc.assert(
    fc.asyncProperty(fc.array(strategy, { minLength: 1, maxLength: 6 }), async (strategies) => {
      const path = `/threads/${thread(++n)}`;
      await agent.call("POST", "/threads", { thread_id: thread(n) });
      let expected: string[] = [];
      for (const multitask_strategy of strategies) {
        const body = { assistant_id: "delay", input: { ms: 1000 }, multitask_strategy };
        const { status } = await agent.call("POST", `${path}/runs`, body);
        const isBusy = expected.includes("success");
        expect(status).toBe(multitask_strategy === "reject" && isBusy ? 409 : 200);
        if (status === 409) continue;
        if (multitask_strategy === "rollback") expected = expected.filter((outcome) => outcome === "interrupted");
        if (multitask_strategy === "interrupt") expected = expected.map(() => "interrupted");
        expected.push("success");
      }
      for (;;) {
        agent.clock.advance("1s");
        if ((await agent.call("GET", path)).body.status === "idle") break;
      }
      const { body: runs } = await agent.call("GET", `${path}/runs`);
      expect(runs.map(({ status }: { status: string }) => status).reverse()).toEqual(expected);
    }),
    { numRuns: 40 },
  );
  expect(agent.defects).toEqual([]);
});

test("versions count up, and any of them can be activated again", async () => {
  await using agent = await startAgent();
  const step = fc.oneof(
    fc.record({ patch: fc.string({ minLength: 1 }) }),
    fc.record({ latest: fc.integer({ min: 1, max: 8 }) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
      const { body } = await agent.call("POST", "/assistants", { graph_id: "chat", name: "first" });
      const path = `/assistants/${body.assistant_id}`;
      const names = ["first"];
      let active = 1;
      for (const step of steps) {
        if ("patch" in step) {
          active = names.push(step.patch);
          await agent.call("PATCH", path, { name: step.patch });
        } else {
          const { status } = await agent.call("POST", `${path}/latest`, { version: step.latest });
          expect(status).toBe(step.latest <= names.length ? 200 : 404);
          if (status === 200) active = step.latest;
        }
        expect((await agent.call("GET", path)).body).toMatchObject({ version: active, name: names[active - 1] });
      }
    }),
    { numRuns: 30 },
  );
});

test("a search finds exactly the threads with the requested metadata and status", async () => {
  await using agent = await startAgent();
  const part = fc.dictionary(fc.constantFrom("a", "b", "c"), fc.constantFrom(1, "x", true, null, ["x", 1], { d: 1 }), {
    maxKeys: 3,
  });
  let n = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 8 }), part, async (rows, wanted) => {
      const group = ++n;
      const ids: string[] = [];
      for (const metadata of rows) {
        const { body } = await agent.call("POST", "/threads", { metadata: { ...metadata, group } });
        ids.push(body.thread_id);
      }
      const filter = { metadata: { ...wanted, group }, status: "idle" };
      const { body: found } = await agent.call("POST", "/threads/search", { ...filter, limit: 100 });
      const matching = ids.filter((_, index) =>
        Object.entries(wanted).every(([name, value]) => contains(rows[index], { [name]: value })),
      );
      expect(found.map(({ thread_id: id }: { thread_id: string }) => id).sort()).toEqual(matching.sort());
      expect((await agent.call("POST", "/threads/count", filter)).body).toBe(matching.length);
      expect((await agent.call("POST", "/threads/count", { ...filter, status: "busy" })).body).toBe(0);
    }),
    { numRuns: 40 },
  );
});

test("a resumable run that is joined after any of its events continues with the next one", async () => {
  await using agent = await startAgent();
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 12 }), fc.nat(), async (steps, place) => {
      const path = `/threads/${thread(1)}/runs`;
      const body = { assistant_id: "events", input: { steps }, stream_mode: ["custom", "values"] };
      const whole = await agent.events("POST", `${path}/stream`, {
        ...body,
        stream_resumable: true,
        if_not_exists: "create",
      });
      const after = place % whole.length;
      const join = `${path}/${whole[0]?.data.run_id}/stream`;
      const rest = await agent.events("GET", join, undefined, { "last-event-id": whole[after]?.id as string });
      expect(rest).toEqual(whole.slice(after + 1));
      expect(await agent.events("GET", join, undefined, { "last-event-id": "-" })).toEqual(whole);
    }),
    { numRuns: 30 },
  );
});
