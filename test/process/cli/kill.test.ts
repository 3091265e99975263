import { once } from "node:events";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type MockServer, startMockServer } from "../../../mock-server/server.ts";
import { type CommandProject, createCommandProject, writesOf } from "../../kit/cli/command.ts";
import { type DisturbingProxy, type Moment, startDisturbingProxy } from "../../kit/disturbing-proxy.ts";
import { agents } from "../../kit/files.ts";
import { storedDeployments, storedRevisions } from "../../kit/stored.ts";

// The process is killed at each request of an apply of two deployments, one of which has an assistant and a cron.

let mock: MockServer;
let proxy: DisturbingProxy;
let project: CommandProject;

beforeAll(async () => {
  mock = await startMockServer({ port: 0, transitions: "immediate" });
  proxy = await startDisturbingProxy(mock.url);
  // The deployments' own addresses lead to the proxy as well.
  await mock.close();
  mock = await startMockServer({
    port: Number(new URL(mock.url).port),
    transitions: "immediate",
    publicUrl: proxy.url,
  });
  project = createCommandProject(proxy.url);
  project.write(
    "graphdeploy.yaml",
    agents(`  search: {}
  chat:
    depends_on: [search]
    display_name: Chat
    assistants: { friendly: { graph_id: agent, context: { tone: friendly } } }
    crons: { nightly: { schedule: "0 3 * * *", assistant_id: friendly } }`),
  );
});

afterAll(async () => {
  project[Symbol.dispose]();
  await proxy[Symbol.asyncDispose]();
  await mock.close();
});

beforeEach(() => mock.reset());

/** Requests of a clean apply, counted by the first test. */
const requests = 19;

test("a clean apply makes that many requests", async () => {
  proxy.reset();
  expect(await project.run("apply", "--yes")).toMatchObject({ code: 0 });
  expect(proxy.steps).toHaveLength(requests);
});

/** `npm run test:long` kills at every request, before and after it is handled; otherwise at every sixth. */
const isComplete = process.env.GRAPHDEPLOY_KILLS === "all";

const cases = Array.from({ length: requests }, (_, index) => index + 1).flatMap((nth) =>
  (["before", "after"] as const satisfies readonly Moment[])
    .filter((_, moment) => isComplete || (nth + 3 * moment) % 6 === 0)
    .map((moment) => ({ nth, moment })),
);

test.each(cases)(
  "killed $moment request $nth is handled, the next run completes the apply",
  async ({ nth, moment }) => {
    proxy.reset();
    const child = project.start("apply", "--yes");
    proxy.disturb({ nth, moment, meanwhile: async () => child.kill("SIGKILL") });
    await once(child, "exit");
    expect(proxy.happened).toBe(true);
    proxy.reset();
    expect(await project.run("apply", "--yes")).toMatchObject({ code: 0 });

    const deployments = await storedDeployments(mock);
    expect(deployments.map(({ name }) => name).sort()).toEqual(["chat", "search"]);
    expect(await storedRevisions(mock)).toHaveLength(2);
    const chat = deployments.find(({ name }) => name === "chat");
    const search = async (path: string, metadata: object) => {
      const response = await fetch(`${mock.url}/agents/${chat?.id}${path}`, {
        method: "POST",
        headers: { "x-api-key": "any", "content-type": "application/json" },
        body: JSON.stringify({ metadata }),
      });
      return (await response.json()) as { assistant_id: string; name?: string }[];
    };
    const assistants = await search("/assistants/search", {});
    expect(assistants.filter(({ name }) => name === "friendly")).toHaveLength(1);
    expect(await search("/runs/crons/search", {})).toHaveLength(1);
    const before = writesOf(mock).length;
    expect(await project.run("apply", "--yes")).toMatchObject({ code: 0 });
    expect(writesOf(mock)).toHaveLength(before);
  },
);
