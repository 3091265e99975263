import { expect, test } from "vitest";
import type { LogLine } from "../../../../mock-server/worker/host/printed-lines.ts";
import { until } from "../../../kit/agent-server/agent.ts";
import { startAgentOf, startProject } from "../../../kit/agent-server/compiled/project.ts";

test("log lines of graphs and the app through the official client's logger have level, run and node", async () => {
  const lines: LogLine[] = [];
  await using worker = await startProject("surroundings", { config: "logs.json", onLog: (line) => lines.push(line) });
  await using agent = await startAgentOf(worker);
  const { headers } = await agent.call("POST", "/runs/wait", { assistant_id: "logs", input: {} });
  const runId = headers.get("content-location")?.split("/").at(-1);
  await agent.call("GET", "/anything");
  await until(async () => lines.some(({ text }) => text === "asked"));
  const place = `run=${runId} node=speak`;
  expect(lines).toEqual([
    { stream: "stdout", level: "INFO", text: "loading" },
    { stream: "stderr", level: "ERROR", text: expect.stringMatching(/^broken TypeError: no such thing\n/) },
    { stream: "stderr", level: "WARNING", text: `careful { a: 1 } ${place}` },
    { stream: "stdout", level: "DEBUG", text: `{ tiny: true } ${place}` },
    { stream: "stdout", level: "DEBUG", text: "asked" },
  ]);
});
