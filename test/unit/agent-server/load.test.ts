import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { parseEvents, startAgent } from "../../kit/agent-server/agent.ts";

function usedHeap(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  return process.memoryUsage().heapUsed;
}

/** In milliseconds: far more than it takes on a machine that does nothing else. */
const timeout = 300_000;

test(
  "ten thousand stateless runs leak no memory",
  async () => {
    await using agent = await startAgent();
    const body = JSON.stringify({ assistant_id: "events", input: { steps: 3 } });
    const runMany = async (count: number) => {
      for (let done = 0; done < count; done += 50) {
        await Promise.all(
          Array.from({ length: 50 }, async () => {
            await (await fetch(`${agent.url}/runs/wait`, { method: "POST", body })).text();
          }),
        );
      }
    };
    await runMany(2000);
    const before = usedHeap();
    await runMany(8000);
    expect(usedHeap() / before).toBeLessThan(1.05);
    expect((await agent.call("POST", "/threads/count", {})).body).toBe(0);
  },
  timeout,
);

test(
  "a thousand concurrent streams end",
  async () => {
    await using agent = await startAgent();
    const body = JSON.stringify({ assistant_id: "events", input: { steps: 20 }, stream_mode: "custom" });
    const counts = await Promise.all(
      Array.from({ length: 1000 }, async () => {
        const response = await fetch(`${agent.url}/runs/stream`, { method: "POST", body });
        return parseEvents(await response.text()).length;
      }),
    );
    expect(new Set(counts)).toEqual(new Set([21]));
  },
  timeout,
);
