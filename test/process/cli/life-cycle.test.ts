import { expect, test } from "vitest";
import { startMockServer } from "../../../mock-server/server.ts";
import { createCommandProject, summaryOf, writesOf } from "../../kit/cli/command.ts";
import { agents } from "../../kit/files.ts";
import { storedDeployments, storedRevisions } from "../../kit/stored.ts";

const file = (ref: string) =>
  agents(`  chat:
    source_revision_config: { repo_ref: ${ref} }
    secrets: { MODEL_API_KEY: "\${MODEL_API_KEY}" }
    assistants: { friendly: { graph_id: agent, context: { tone: friendly } } }
    crons: { nightly: { schedule: "0 3 * * *", assistant_id: friendly } }`);

test("a deployment is validated, planned, applied once, changed, rolled back and destroyed", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  using project = createCommandProject(mock.url);
  project.write("graphdeploy.yaml", file("main"));

  expect(await project.run("validate")).toMatchObject({ code: 0, stdout: "graphdeploy.yaml: 1 deployment\n" });
  const planned = await project.run("plan");
  expect(planned.code).toBe(0);
  expect(planned.stdout).toBe(
    [
      "+ chat: create",
      "    name: chat",
      "    source: github",
      "    source_config.integration_id: integration-1",
      "    source_config.repo_url: https://github.com/acme/agents",
      "    source_revision_config.repo_ref: main",
      "    source_revision_config.graph_config_path: graph.json",
      "    environment: adds MODEL_API_KEY; marks it as owned by acme/agents#graphdeploy.yaml:chat",
      "    assistant friendly: create",
      "    cron nightly: create",
      "",
      "Plan: 1 to create, 0 to roll out, 0 to change in place, 0 to delete, 0 unchanged",
      "",
    ].join("\n"),
  );
  expect(writesOf(mock)).toEqual([]);

  const applied = await project.run("apply", "--yes");
  expect(applied).toMatchObject({ code: 0, stderr: "" });
  expect(applied.stdout).toMatch(/^chat: created.*http:\S+\/agents\/\S+; 2 changes on the agent server$/m);
  expect(applied.stdout).toMatch(/^Done: 1 created$/m);
  const created = ["POST /v2/deployments", "POST /agents/<id>/assistants", "POST /agents/<id>/runs/crons"];
  expect(writesOf(mock)).toEqual(created);

  const again = await project.run("apply", "--yes");
  expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining("Done: 1 unchanged") });
  expect(writesOf(mock)).toEqual(created);

  project.write("graphdeploy.yaml", file("next"));
  const changed = await project.run("plan");
  expect(changed.stdout).toContain(
    "~ chat: roll out a new revision\n    source_revision_config.repo_ref: main → next\n",
  );
  expect(await project.run("apply", "--yes")).toMatchObject({ code: 0 });

  const rolledBack = await project.run("rollback", "chat");
  expect(rolledBack).toMatchObject({ code: 0, stdout: expect.stringContaining("the next apply brings back") });
  const refs = (await storedRevisions(mock)).map(({ config }) => config.repo_ref);
  expect(refs).toEqual(["main", "next", "main"]);
  expect(summaryOf(await project.run("plan"))).toContain("1 to roll out");

  const destroyed = await project.run("destroy", "--yes");
  expect(destroyed.stdout).toMatch(/- chat: delete\n {4}\S+, with its threads and store\n/);
  expect(destroyed.code).toBe(0);
  expect(await storedDeployments(mock)).toEqual([]);
  expect(await project.run("destroy", "--yes")).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Done: nothing$/m),
  });
});

test("fifty deployments of two environments are applied, and each environment is destroyed alone", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  using project = createCommandProject(mock.url);
  const keys = Array.from({ length: 50 }, (_, index) => `agent-${String(index).padStart(2, "0")}`);
  const lines = keys.map((key, index) => `  ${key}: ${index === 0 ? "{}" : `{ depends_on: [${keys[0]}] }`}`);
  const staging = keys.map((key) => `      ${key}: { name: ${key}-staging }`);
  project.write(
    "graphdeploy.yaml",
    agents(lines.join("\n"), `environments:\n  staging:\n    deployments:\n${staging.join("\n")}\n`),
  );
  const apply = (...args: string[]) => project.run("apply", "--yes", "--parallel", "20", ...args);

  expect(summaryOf(await apply())).toContain("50 to create");
  expect(summaryOf(await apply("--environment", "staging"))).toContain("50 to create");
  expect(await storedDeployments(mock)).toHaveLength(100);
  expect(await storedRevisions(mock)).toHaveLength(100);
  const before = writesOf(mock).length;
  expect(summaryOf(await apply())).toContain("50 unchanged");
  expect(summaryOf(await apply("--environment", "staging"))).toContain("50 unchanged");
  expect(writesOf(mock)).toHaveLength(before);

  expect(await project.run("destroy", "--yes", "--environment", "staging")).toMatchObject({ code: 0 });
  expect((await storedDeployments(mock)).map(({ name }) => name).sort()).toEqual(keys);
});
