import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { LiveAgent } from "../../mock-server/agent-server/agent-server.ts";
import { RepositoryFolders } from "../../mock-server/builds/repository-folders.ts";
import { RevisionProjects } from "../../mock-server/builds/revision-projects.ts";
import { Redaction } from "../../mock-server/kit/redaction.ts";
import { deploymentOf, revisionOf, storeInMemory } from "../mock-server/store/builders.ts";

const repositoryUrl = "https://github.com/acme/greeter";
const folder = fileURLToPath(new URL("../fixtures/graph-projects/greeter", import.meta.url));

/** Projects that tell what becomes of them instead of starting workers, and three revisions of one deployment. */
async function projectsOfThree() {
  const state = await storeInMemory();
  state.deployments.put(deploymentOf({ id: "deployment" }));
  const told: string[] = [];
  let started = 0;
  const projects = new RevisionProjects({
    repositories: new RepositoryFolders({ [repositoryUrl]: folder }),
    runUploads: false,
    state,
    redaction: new Redaction(),
    onLog: () => {},
    async start(project) {
      const number = ++started;
      told.push(`start ${number}`);
      return {
        project,
        graphs: [],
        files: [],
        auth: null,
        respond: ({ ours }) => ours(),
        close: async ({ drain = false } = {}) => void told.push(`close ${number}${drain ? " after its runs" : ""}`),
        async [Symbol.asyncDispose]() {},
      };
    },
  });
  const origin = (revisionId: string, sequence: number) => ({
    deploymentId: "deployment",
    revisionId,
    sequence,
    source: "github",
    config: {},
    repositoryUrl,
    secrets: [],
  });
  for (const [id, sequence] of [
    ["one", 1],
    ["two", 2],
    ["three", 3],
  ] as const) {
    state.revisions.put(revisionOf({ id, sequence, deploymentId: "deployment" }));
  }
  const live = (revisionId: string) =>
    ({
      revisionId,
      deployment: { id: "deployment", sourceConfig: { repo_url: repositoryUrl }, secrets: [] },
    }) as unknown as LiveAgent;
  return { projects, told, origin, live };
}

test("the project of an earlier revision ends after its runs when a later one is live, and not before", async () => {
  const { projects, told, origin, live } = await projectsOfThree();
  await projects.build(origin("one", 1));
  await projects.runningFor(live("one"));
  await projects.build(origin("two", 2));
  await projects.runningFor(live("one"));
  expect(told).toEqual(["start 1", "start 2"]);
  await projects.runningFor(live("two"));
  expect(told).toEqual(["start 1", "start 2", "close 1 after its runs"]);
  await projects[Symbol.asyncDispose]();
  expect(told.slice(3)).toContain("close 2");
});

test("a revision that never becomes live is let go, and a deployment that is deleted ends all of its projects at once", async () => {
  const { projects, told, origin } = await projectsOfThree();
  await projects.build(origin("one", 1));
  await projects.build(origin("two", 2));
  await projects.build(origin("three", 3));
  projects.release("two");
  projects.forget("another");
  projects.forget("deployment");
  await projects[Symbol.asyncDispose]();
  expect(told.slice(3).sort()).toEqual(["close 1", "close 2", "close 2 after its runs", "close 3"]);
});

test("a live revision that this server didn't build is loaded once", async () => {
  const { projects, told, live } = await projectsOfThree();
  await Promise.all([projects.runningFor(live("one")), projects.runningFor(live("one"))]);
  expect(told).toEqual(["start 1"]);
});
