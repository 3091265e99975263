import { request } from "node:http";
import { expect, test } from "vitest";
import { parseEvents, until } from "../../../kit/agent-server/agent.ts";
import { startAgentOf, startProject } from "../../../kit/agent-server/compiled/project.ts";

test("a reader that never reads what a compiled graph tells is cut off, and the run goes on", async () => {
  await using worker = await startProject("probe");
  await using agent = await startAgentOf(worker, { streamLimits: { replay: 1000, lag: 4 * 1024 } });
  const text: string[] = [];
  await new Promise<void>((resolve, reject) => {
    const sent = request(`${agent.url}/runs/stream`, { method: "POST" }, (response) => {
      response.on("end", resolve);
      response.on("data", (chunk: Buffer) => text.push(chunk.toString()));
      response.pause();
      const isOver = async () => (await agent.call("GET", "/metrics?format=json")).body.queue.num_running === 0;
      until(isOver).then(() => response.resume(), reject);
    });
    sent.on("error", reject);
    sent.end(JSON.stringify({ assistant_id: "burst", input: { n: 50_000 }, stream_mode: "custom" }));
  });
  expect(parseEvents(text.join("")).at(-1)).toMatchObject({ event: "error", data: { error: "StreamError" } });
  const next = await agent.call("POST", "/runs/wait", { assistant_id: "trivial", input: { value: "a" } });
  expect(next.body).toMatchObject({ value: "a!" });
});

test("an event of a compiled graph that is larger than what a reader may lag by reaches one that reads", async () => {
  await using worker = await startProject("probe");
  await using agent = await startAgentOf(worker);
  const input = { value: "x".repeat(9 * 1024 * 1024) };
  const events = await agent.events("POST", "/runs/stream", { assistant_id: "trivial", input });
  expect(events.at(-1)).toMatchObject({ event: "values", data: { value: `${input.value}!` } });
});
