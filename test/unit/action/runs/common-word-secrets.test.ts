import { expect, test } from "vitest";
import { startMockServer } from "../../../../mock-server/server.ts";
import { pullRequest } from "../../../kit/action/events.ts";
import { agentInputs, ask, deploymentsOf, makeDeployment, ownedBy } from "../../../kit/github/agents.ts";
import { runAction } from "../../../kit/github/run-action.ts";
import { FakeGitHub } from "../../../kit/github/server.ts";

const push = { name: "push", ref: "refs/heads/main" };

test("secrets that are common words don't affect the outputs", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  const { outputs, log } = await runAction({
    event: push,
    inputs: agentInputs(mock, { secrets: "VERBOSE=true\nSTAGE=deployed" }),
  });
  expect(outputs, log).toMatchObject({ created: "true", result: "deployed" });
});

test("a secret that occurs in the name, an id, the URL or the status isn't redacted from them", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await using github = await FakeGitHub.start();
  const event = { name: "pull_request", ref: "refs/pull/12/merge", payload: pullRequest("opened") };
  const name = "support-agent-pr-12";
  const { id, source_config: config } = await makeDeployment(mock, { name, ...ownedBy("acme/agents#pr-12") });
  const secrets = { STAGE: "support", LIVE: "DEPLOYED", HOST: config.custom_url, ID: id };
  const { outputs, summary, log } = await runAction({
    event,
    inputs: agentInputs(mock, { secrets: JSON.stringify(secrets), "github-environment": "{name}" }),
    githubUrl: github.url,
  });
  const [deployment] = await deploymentsOf(mock);
  expect(outputs, log).toMatchObject({
    name,
    status: "DEPLOYED",
    url: config.custom_url,
    "deployment-id": id,
    "revision-id": deployment.latest_revision_id,
  });
  for (const text of [summary, github.comments.get(12)?.[0]?.body]) {
    expect(text).toContain(`**${name}** ✅ is live`);
    expect(text).toContain("(DEPLOYED)");
    expect(text).toContain(config.custom_url);
    expect(text).toContain(`<code>${id}</code>`);
  }
  expect(github.deployments[0]).toMatchObject({ environment: name });
  expect(github.deployments[0]?.states.at(-1)).toMatchObject({ state: "success", environment_url: config.custom_url });
});

test("a plain entry on the platform is redacted from the log but not from the outputs", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  const secrets = [
    { name: "PLAIN", value: "DEPLOYED" },
    { name: "BRANCH", value: "next" },
  ];
  const { id } = await makeDeployment(mock, { secrets });
  const planned = await runAction({
    event: push,
    inputs: agentInputs(mock, { operation: "plan", ref: "next", env: "MODE=a" }),
  });
  expect(JSON.parse(planned.outputs.plan ?? "").changes[0], planned.log).toMatchObject({ from: "main", to: "next" });
  const { outputs, log, summary } = await runAction({ event: push, inputs: agentInputs(mock, { env: "MODE=a" }) });
  expect(outputs, log).toMatchObject({ status: "DEPLOYED", "deployment-id": id });
  expect(summary).toContain("(DEPLOYED)");
  expect(log).not.toMatch(/^DEPLOYED/m);
});

test("a plan shows no declared secret", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await makeDeployment(mock);
  const inputs = agentInputs(mock, { operation: "plan", ref: "release-of-acme", secrets: "NAME=release-of-acme" });
  const { outputs, everything, log } = await runAction({ event: push, inputs });
  expect(outputs.result, log).toBe("planned");
  expect(outputs.plan).toContain("[redacted]");
  expect(everything).not.toContain("release-of-acme");
});

test("common words, short values and short numbers are never masked, but named with the reason", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  const inputs = agentInputs(mock, { secrets: "FLAG=true\nRETRIES=8080\nPIN=abc\nTOKEN=a-long-token" });
  const { log } = await runAction({ event: push, inputs });
  const masked = [...log.matchAll(/^::add-mask::(.*)$/gm)].map(([, value]) => value);
  expect(masked).toContain("a-long-token");
  for (const value of ["true", "8080", "abc"]) expect(masked).not.toContain(value);
  expect(log).toContain("FLAG (a common word), RETRIES (a number under 6 digits), PIN (under 4 characters).");
  expect(log.match(/aren't redacted from logs/g)).toHaveLength(1);
});

test("the user name, password, query and fragment of a URL are never published", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  const { id, source_config: config } = await makeDeployment(mock);
  const url = new URL(config.custom_url);
  const custom_url = `http://user:pass-of-url@${url.host}${url.pathname}?key=key-of-url#part-of-url`;
  const deployment = { ...(await ask(mock, "GET", `/v2/deployments/${id}`)), source_config: { ...config, custom_url } };
  mock.faults.replace([
    {
      match: { method: "GET", path: "/v2/deployments" },
      effect: { status: 200, body: { resources: [deployment], offset: 1 } },
    },
  ]);
  const { outputs, everything, log } = await runAction({
    event: push,
    inputs: agentInputs(mock, { operation: "plan" }),
  });
  expect(outputs.url, log).toBe(`http://${url.host}${url.pathname}`);
  expect(everything).not.toMatch(/of-url/);
});
