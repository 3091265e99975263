import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { defaultProjectSettings } from "../../../../mock-server/agent-server/project-settings.ts";
import { RepositoryFolders } from "../../../../mock-server/builds/repository-folders.ts";
import { RevisionProjects, type RevisionProjectsOptions } from "../../../../mock-server/builds/revision-projects.ts";
import { Redaction } from "../../../../mock-server/kit/redaction.ts";
import type { StartProject } from "../../../../mock-server/worker/host/running-project.ts";

const repositoryUrl = "https://github.com/acme/greeter";
const folder = fileURLToPath(new URL("../../../fixtures/graph-projects/greeter", import.meta.url));

/** Projects that report what happens to them instead of starting workers, and three revisions of one deployment. */
function projectsOfThree(options: Partial<RevisionProjectsOptions> = {}) {
  const events: string[] = [];
  const defects: unknown[] = [];
  let started = 0;
  const projects = new RevisionProjects({
    repositories: new RepositoryFolders({ [repositoryUrl]: folder }),
    runUploads: false,
    originOf: (revisionId) => origin(revisionId, ["one", "two", "three"].indexOf(revisionId) + 1),
    readUpload: () => undefined,
    redaction: new Redaction(),
    onLog: () => {},
    onDefect: (error) => defects.push(error),
    async start(project) {
      const number = ++started;
      events.push(`start ${number}`);
      return {
        project,
        graphs: [],
        files: [],
        auth: null,
        mountPrefix: "",
        allowsOrigin: () => false,
        connect: () => undefined,
        settings: defaultProjectSettings,
        ui: new Map(),
        roleOfApp: () => "none",
        replaces: () => false,
        respond: ({ ours, context }) => ours(context),
        close: async ({ drain = false } = {}) => void events.push(`close ${number}${drain ? " after its runs" : ""}`),
        async [Symbol.asyncDispose]() {},
      };
    },
    ...options,
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
  return { projects, events, defects, origin };
}

test("an earlier revision's project ends after its runs once a later revision is live, and not before", async () => {
  const { projects, events, origin } = projectsOfThree();
  await projects.build(origin("one", 1));
  await projects.runningFor("one");
  await projects.build(origin("two", 2));
  await projects.runningFor("one");
  expect(events).toEqual(["start 1", "start 2"]);
  await projects.runningFor("two");
  expect(events).toEqual(["start 1", "start 2", "close 1 after its runs"]);
  await projects[Symbol.asyncDispose]();
  expect(events.slice(3)).toContain("close 2");
});

test("a revision that never becomes live is released, and a deleted deployment ends all of its projects at once", async () => {
  const { projects, events, origin } = projectsOfThree();
  await projects.build(origin("one", 1));
  await projects.build(origin("two", 2));
  await projects.build(origin("three", 3));
  projects.release("two");
  projects.end("another");
  projects.end("deployment");
  await projects[Symbol.asyncDispose]();
  expect(events.slice(3).sort()).toEqual(["close 1", "close 2", "close 2 after its runs", "close 3"]);
});

test("a live revision that this server didn't build is loaded once", async () => {
  const { projects, events } = projectsOfThree();
  await Promise.all([projects.runningFor("one"), projects.runningFor("one")]);
  expect(events).toEqual(["start 1"]);
});

test("a project that can't be ended is a defect, and ends nothing else", async () => {
  const failure = new Error("The folder can't be removed");
  const start: StartProject = async (project) => ({
    project,
    graphs: [],
    files: [],
    auth: null,
    mountPrefix: "",
    allowsOrigin: () => false,
    connect: () => undefined,
    settings: defaultProjectSettings,
    ui: new Map(),
    roleOfApp: () => "none",
    replaces: () => false,
    respond: ({ ours, context }) => ours(context),
    close: () => Promise.reject(failure),
    async [Symbol.asyncDispose]() {},
  });
  const { projects, defects, origin } = projectsOfThree({ start });
  await projects.build(origin("one", 1));
  projects.release("one");
  projects.end();
  await projects[Symbol.asyncDispose]();
  expect(defects).toEqual([failure, failure]);
});
