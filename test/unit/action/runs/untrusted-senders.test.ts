import { expect, test } from "vitest";
import { startMockServer } from "../../../../mock-server/server.ts";
import { pullRequest } from "../../../kit/action/events.ts";
import { agentInputs, makeDeployment, ownedBy, writesOf } from "../../../kit/github/agents.ts";
import { runAction } from "../../../kit/github/run-action.ts";
import { FakeGitHub } from "../../../kit/github/server.ts";
import { type ActionEvent, token } from "../../../kit/github/step.ts";

const stranger = { login: "mallory", type: "User" };
const created = ["POST /v2/deployments 201", "POST /v2/deployments 201"];
const look = "/repos/acme/agents/collaborators/mallory/permission";

const onPullRequest = { number: 12, pull_request: { url: "https://api.github.com/repos/acme/agents/pulls/12" } };
const events: Readonly<Record<string, object>> = {
  issue_comment: { action: "created", issue: onPullRequest, comment: { body: "/preview" } },
  pull_request_review: pullRequest("submitted"),
  pull_request_review_comment: pullRequest("created"),
  discussion_comment: { action: "created", comment: { body: "/deploy" } },
  discussion: { action: "created" },
  issues: { action: "opened", issue: { number: 12 } },
  watch: { action: "started" },
  fork: {},
  gollum: {},
};

function eventOf(name: string, sender: object | undefined = stranger): ActionEvent {
  return { name, ref: "refs/heads/main", payload: { ...events[name], sender } };
}

async function startPlatform() {
  const mock = await startMockServer({ port: 0, transitions: "immediate" });
  await makeDeployment(mock, ownedBy("acme/agents#deploy"));
  await makeDeployment(mock, { name: "support-agent-pr-12", ...ownedBy("acme/agents#pr-12") });
  return mock;
}

async function startGitHub() {
  const github = await FakeGitHub.start();
  github.pullRequests.set(12, pullRequest("").pull_request as Record<string, unknown>);
  return github;
}

test.each<[string, string]>([
  ["issue_comment", "preview"],
  ["issue_comment", "delete"],
  ["issue_comment", "redeploy"],
  ["issue_comment", "plan"],
  ["issue_comment", "sweep"],
  ["pull_request_review", "delete"],
  ["pull_request_review_comment", "preview"],
  ["discussion_comment", "deploy"],
  ["discussion", "deploy"],
  ["issues", "deploy"],
  ["watch", "deploy"],
  ["fork", "deploy"],
  ["gollum", "deploy"],
])("a stranger's %s does nothing with %s, and the notice names the stranger", async (name, operation) => {
  await using mock = await startPlatform();
  await using github = await startGitHub();
  const inputs = agentInputs(mock, { operation });
  const { code, outputs, log } = await runAction({ event: eventOf(name), inputs, githubUrl: github.url });
  expect([code, outputs.result], log).toEqual([0, "skipped"]);
  expect(log).toMatch(/^::notice.*mallory has the permission "read" in acme\/agents/m);
  expect(github.calls.map(({ method, path }) => `${method} ${path}`)).toEqual([`GET ${look}`]);
  expect(writesOf(mock)).toEqual(created);
});

test.each([
  ...["admin", "maintain", "write"].map((permission) => [permission, "deleted"] as const),
  ...["triage", "none", ""].map((permission) => [permission, "skipped"] as const),
])("what somebody with the permission %j asks for is %s", async (permission, result) => {
  await using mock = await startPlatform();
  await using github = await startGitHub();
  github.permissions.set("mallory", permission);
  const inputs = agentInputs(mock, { operation: "delete" });
  const { outputs, log } = await runAction({ event: eventOf("issue_comment"), inputs, githubUrl: github.url });
  expect(outputs.result, log).toBe(result);
  expect(writesOf(mock)).toHaveLength(created.length + (result === "deleted" ? 1 : 0));
});

test.each(["github-actions[bot]", "dependabot[bot]"])("the bot %s is looked up like everybody", async (login) => {
  await using mock = await startPlatform();
  await using github = await startGitHub();
  const event = eventOf("issue_comment", { login, type: "Bot" });
  const run = () => runAction({ event, inputs: agentInputs(mock, { operation: "delete" }), githubUrl: github.url });
  const refused = await run();
  expect(refused.outputs.result, refused.log).toBe("skipped");
  github.permissions.set(login, "write");
  const listened = await run();
  expect(listened.outputs.result, listened.log).toBe("deleted");
});

test.each([401, 403, 404, 500, 502])(
  "where GitHub answers %i to the look-up of a permission, nothing is done and the error says what the token needs",
  async (status) => {
    await using mock = await startPlatform();
    await using github = await startGitHub();
    github.limits.push({ path: look, response: { status, json: { message: "No response today" } } });
    const inputs = agentInputs(mock, { operation: "preview", timeout: "soon" });
    const { code, outputs, log, everything } = await runAction({
      event: eventOf("issue_comment"),
      inputs,
      githubUrl: github.url,
    });
    expect([code, outputs.result], log).toEqual([1, "failed"]);
    expect(log).toContain("github-token: doesn't show whether mallory may write to acme/agents");
    expect(log).toContain("metadata: read");
    expect(log).toContain("timeout: ");
    expect(everything).not.toContain(token);
    expect(github.calls).toHaveLength(1);
    expect(writesOf(mock)).toEqual(created);
  },
);

test("without a token or a sender, nothing is done for an event that anybody can cause", async () => {
  await using mock = await startPlatform();
  await using github = await startGitHub();
  const inputs = agentInputs(mock, { operation: "delete" });
  const withoutToken = await runAction({ event: eventOf("issue_comment"), inputs: { ...inputs, "github-token": "" } });
  expect(withoutToken.code).toBe(1);
  expect(withoutToken.log).toContain("github-token: is needed to see whether mallory may write to acme/agents.");
  const { name, ref, payload } = eventOf("issue_comment");
  const nobody = { name, ref, payload: { ...payload, sender: null } } as ActionEvent;
  const withoutSender = await runAction({ event: nobody, inputs, githubUrl: github.url });
  expect([withoutSender.code, withoutSender.outputs.result], withoutSender.log).toEqual([1, "failed"]);
  expect(withoutSender.log).toContain("The event issue_comment doesn't name its sender");
  expect(github.calls).toEqual([]);
  expect(writesOf(mock)).toEqual(created);
});

test("no sender is looked up for skipped events, or for those that only members can cause", async () => {
  await using mock = await startPlatform();
  await using github = await startGitHub();
  const edited = {
    ...eventOf("issue_comment"),
    payload: { ...events.issue_comment, action: "edited", sender: stranger },
  };
  const skipped = await runAction({
    event: edited,
    inputs: agentInputs(mock, { operation: "delete" }),
    githubUrl: github.url,
  });
  expect(skipped.outputs.result).toBe("skipped");
  const dispatch = { name: "workflow_dispatch", ref: "refs/heads/main", payload: { sender: stranger } };
  const deployed = await runAction({ event: dispatch, inputs: agentInputs(mock), githubUrl: github.url });
  expect(deployed.outputs.result, deployed.log).toBe("deployed");
  expect(github.calls.filter(({ path }) => path === look)).toEqual([]);
});
