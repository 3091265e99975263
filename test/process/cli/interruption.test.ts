import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { startMockServer } from "../../../mock-server/server.ts";
import { createCommandProject, resultOf, summaryOf } from "../../kit/cli/command.ts";
import { agents } from "../../kit/files.ts";
import { storedDeployments, storedRevisions } from "../../kit/stored.ts";

const file = agents("  search: {}\n  chat: { depends_on: [search] }");

test("the first Ctrl-C reports what is known and starts nothing further; the next run follows the rollout", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "manual" });
  using project = createCommandProject(mock.url);
  project.write("graphdeploy.yaml", file);
  const child = project.start("apply", "--yes");
  createInterface({ input: child.stdout }).on("line", (line) => {
    if (line.startsWith("search: CREATING")) child.kill("SIGINT");
  });
  const { code, stdout } = await resultOf(child);
  const [deployment] = await storedDeployments(mock);
  const [revision] = await storedRevisions(mock);
  expect(code).toBe(130);
  expect(stdout).toContain("Interrupted: nothing further is started. Interrupt again to end at once.\n");
  expect(stdout).toMatch(/^search: interrupted in \S+: deployment (\S+); revision (\S+); continues on the platform/m);
  expect(stdout).toContain(`deployment ${deployment?.id}; revision ${revision?.id}; continues on the platform`);
  expect(stdout).toContain("\nDone: 1 skipped, 1 interrupted\n");

  mock.transitions.set({ mode: "immediate" });
  expect(summaryOf(await project.run("plan"))).toContain("1 to create, 0 to roll out");
  await mock.revisions.advance(revision?.id ?? "", "DEPLOYED");
  expect(await project.run("apply", "--yes")).toMatchObject({ code: 0 });
  expect(await storedRevisions(mock)).toHaveLength(2);
});

test("the second Ctrl-C ends the process at once with 130", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  using project = createCommandProject(mock.url);
  project.write("graphdeploy.yaml", file);
  // A create that hangs can't be aborted: its outcome must become known.
  mock.faults.add({ match: { method: "POST", path: "/v2/deployments" }, effect: { latency: "60s" } });
  const child = project.start("apply", "--yes");
  createInterface({ input: child.stdout }).on("line", (line) => {
    if (line.startsWith("Plan:")) setTimeout(() => child.kill("SIGINT"), 500);
    if (line.startsWith("Interrupted")) child.kill("SIGINT");
  });
  expect(await once(child, "exit")).toEqual([130, null]);
});
