import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { createGraphAgentServer } from "../../../mock-server/agent-server/graph-agent-server.ts";
import { agentSchema } from "../../../mock-server/agent-server/persistence/agent-schema.ts";
import { localAgent, startDevServer } from "../../../mock-server/dev-server.ts";
import { builtInGraphs } from "../../../mock-server/graphs/built-in-graphs.ts";
import { createClock } from "../../../mock-server/kit/clock.ts";
import { Database } from "../../../mock-server/kit/store/database.ts";
import { thread, until } from "../../kit/agent-server/agent.ts";
import { apiOf } from "../../kit/mock-server/api.ts";

const delayed = (more: object = {}) => ({
  assistant_id: "delay",
  input: { ms: 10_000 },
  if_not_exists: "create",
  ...more,
});

/** An agent server whose revisions finish loading when `loads` says, or immediately if it doesn't name them. */
function serverWith(loads: Record<string, Promise<undefined>>) {
  const clock = createClock();
  clock.freeze(Date.UTC(2026, 0, 1));
  const lines: string[] = [];
  const loaded: string[] = [];
  const server = createGraphAgentServer({
    graphs: builtInGraphs,
    clock,
    projectOf: async ({ revisionId }) => {
      loaded.push(revisionId);
      return loads[revisionId];
    },
    onLog: ({ message }) => lines.push(message),
  });
  const wake = async (revisionId: string) => server.wake?.({ ...localAgent, revisionId });
  return { server, lines, loaded, wake };
}

test("a revision loads after an earlier one fails, and another after both failed", async () => {
  const [one, two] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  const { server, wake } = serverWith({ one: one.promise, two: two.promise });
  const woken = Promise.allSettled([wake("one"), wake("two")]);
  two.resolve(undefined);
  one.reject(new Error("one"));
  expect((await woken).map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
  await wake("two");
  server.close?.();
});

test("runs continue while later revisions fail, and when one loads", async () => {
  const [one, two] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  const { server, lines, loaded, wake } = serverWith({ one: one.promise, two: two.promise });
  await using dev = await startDevServer(0, "127.0.0.1", server);
  await apiOf(dev.url)("POST", `/threads/${thread(1)}/runs`, delayed());
  await until(async () => lines.some((line) => line.includes("has started")));
  const woken = Promise.allSettled([wake("one"), wake("two")]);
  one.reject(new Error("one"));
  two.reject(new Error("two"));
  await woken;
  await wake(localAgent.revisionId);
  expect(loaded.filter((id) => id === localAgent.revisionId)).toHaveLength(1);
  await wake("three");
  expect(lines.filter((line) => line.includes("interrupted"))).toEqual([]);
});

test("a revision that loads after its deployment was removed restores nothing", async () => {
  const database = await Database.inMemory([agentSchema]);
  const two = Promise.withResolvers<undefined>();
  const projectOf = async ({ revisionId }: { revisionId: string }) => (revisionId === "two" ? two.promise : undefined);
  const server = createGraphAgentServer({ graphs: builtInGraphs, database, projectOf });
  const rows = () => database.all("SELECT * FROM assistants").length;
  await server.wake?.({ ...localAgent, revisionId: "one" });
  expect(rows()).toBe(builtInGraphs.length);
  const woken = server.wake?.({ ...localAgent, revisionId: "two" });
  server.remove?.(localAgent.identity.id);
  two.resolve(undefined);
  await expect(woken).rejects.toThrow("aborted");
  expect(rows()).toBe(0);
  server.close?.();
});

test("an agent server that can't resume all of its work starts none of it", async () => {
  const connection = new DatabaseSync(":memory:");
  const database = Database.over(connection);
  database.migrate([agentSchema]);
  const clock = createClock();
  clock.freeze(Date.UTC(2026, 0, 1));
  const options = { graphs: builtInGraphs, clock, database };
  const first = await startDevServer(0, "127.0.0.1", createGraphAgentServer(options));
  await apiOf(first.url)("POST", `/threads/${thread(1)}/runs`, delayed({ after_seconds: 60 }));
  await first.close();
  connection.exec("ALTER TABLE crons RENAME TO other");
  const second = createGraphAgentServer(options);
  await expect(second.wake?.(localAgent)).rejects.toThrow("crons");
  clock.advance("60s");
  await new Promise((resolve) => setImmediate(resolve));
  expect(connection.prepare("SELECT status FROM runs").all()).toEqual([{ status: "pending" }]);
  second.close?.();
});
