import { expect, test } from "vitest";
import { startMockServer } from "../../../mock-server/server.ts";
import { createCommandProject, summaryOf, writesOf } from "../../kit/cli/command.ts";
import { agents } from "../../kit/files.ts";
import { storedDeployments, storedRevisions } from "../../kit/stored.ts";

test("a refused deployment stops the apply before anything is sent, until --adopt takes it over", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  using other = createCommandProject(mock.url, { GITHUB_REPOSITORY: "acme/other" });
  other.write("graphdeploy.yaml", agents("  chat: {}"));
  await other.run("apply", "--yes");
  const before = writesOf(mock).length;

  using project = createCommandProject(mock.url);
  project.write("graphdeploy.yaml", agents("  search: {}\n  chat: {}"));
  const refused = await project.run("plan");
  expect(refused.code).toBe(1);
  expect(refused.stdout).toMatch(
    /^! chat: refused\n {4}name: "chat" is in use by deployment \S+, which is owned by acme\/other#graphdeploy.yaml:chat. Choose another name, or pass --adopt to take that deployment over.$/m,
  );
  expect(summaryOf(refused)).toBe(
    "Plan: 1 to create, 0 to roll out, 0 to change in place, 0 to delete, 0 unchanged, 1 refused",
  );
  expect(await project.run("apply", "--yes")).toMatchObject({
    code: 1,
    stderr: "error: the plan has a refused deployment, so nothing was sent\n",
  });
  for (const command of ["redeploy", "rollback"]) {
    expect(await project.run(command, "chat")).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("isn't this file's own, so it wasn't changed. Apply the file and pass --adopt"),
    });
  }
  expect(writesOf(mock)).toHaveLength(before);
  const status = await project.run("status");
  expect(status.stdout).toContain("search  search  MISSING");
  expect(status.stdout).toContain("  owned by acme/other#graphdeploy.yaml:chat\n");

  expect(await project.run("apply", "--yes", "--adopt")).toMatchObject({ code: 0 });
  expect(await project.run("plan", "--detailed-exitcode")).toMatchObject({ code: 0 });
  expect(await other.run("destroy", "--yes")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("which is owned by acme/agents#graphdeploy.yaml:chat, is left alone."),
  });
  expect(await storedDeployments(mock)).toHaveLength(2);
});

test("what is no longer declared is kept, and deleted by --prune", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  using project = createCommandProject(mock.url);
  project.write("graphdeploy.yaml", agents("  search: {}\n  chat: {}"));
  await project.run("apply", "--yes");
  project.write("graphdeploy.yaml", agents("  search: {}"));

  const kept = await project.run("plan");
  expect(kept.stdout).toContain("No longer declared, and kept without --prune: chat");
  expect(summaryOf(kept)).toContain("0 to delete, 1 unchanged");
  expect((await project.run("status")).stdout).toContain("  no longer declared; apply --prune deletes it\n");
  await project.run("apply", "--yes");
  expect(await storedDeployments(mock)).toHaveLength(2);

  const pruned = await project.run("plan", "--prune", "--detailed-exitcode");
  expect(pruned.stdout).toMatch(/^- chat: delete\n {4}no longer declared: \S+, with its threads and store$/m);
  expect([summaryOf(pruned), pruned.code]).toEqual([
    "Plan: 0 to create, 0 to roll out, 0 to change in place, 1 to delete, 1 unchanged",
    2,
  ]);
  expect(await project.run("apply", "--yes", "--prune")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("Done: 1 unchanged, 1 deleted"),
  });
  expect((await storedDeployments(mock)).map(({ name }) => name)).toEqual(["search"]);
});

test("destroy finds what an environment owns without its values, and when the file has it no longer", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  using project = createCommandProject(mock.url);
  const staging = "environments: { staging: { deployments: { chat: { name: chat-staging } } } }";
  const chat = `  chat: { secrets: { KEY: "\${MODEL_API_KEY}" } }`;
  project.write("graphdeploy.yaml", agents(chat, staging));
  expect(await project.run("apply", "--yes")).toMatchObject({ code: 0 });
  expect(await project.run("apply", "--yes", "--environment", "staging")).toMatchObject({ code: 0 });

  project.write("graphdeploy.yaml", agents(chat));
  const destroyed = await project.run("destroy", "--yes", "--environment", "staging");
  expect(destroyed).toMatchObject({ code: 0, stderr: expect.stringContaining("found by the ownership markers alone") });
  expect((await storedDeployments(mock)).map(({ name }) => name)).toEqual(["chat"]);

  delete project.env.MODEL_API_KEY;
  expect(await project.run("apply", "--yes")).toMatchObject({ code: 1 });
  expect(await project.run("destroy", "--yes")).toMatchObject({ code: 0 });
  expect(await storedDeployments(mock)).toEqual([]);
});

test("a rollback to a revision that was never live, or isn't there, sends nothing", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  using project = createCommandProject(mock.url);
  project.write("graphdeploy.yaml", agents("  chat: {}"));
  await project.run("apply", "--yes");
  mock.transitions.set({ rules: [{ name: "chat", fail: "BUILD_FAILED", times: 1 }] });
  project.write("graphdeploy.yaml", agents("  chat: { env: { A: b } }"));
  await project.run("apply", "--yes");
  const failed = (await storedRevisions(mock)).at(-1)?.id ?? "";
  const before = writesOf(mock).length;
  for (const [id, why] of [
    [failed, "is BUILD_FAILED, and was never live"],
    ["nope", "isn't one of the deployment's"],
  ] as const) {
    const { code, stdout } = await project.run("rollback", "chat", "--to", id);
    expect([code, stdout]).toEqual([1, expect.stringContaining(`Revision ${id} ${why}, so nothing was rolled back.`)]);
  }
  expect(writesOf(mock)).toHaveLength(before);
});
