import { expect, test } from "vitest";
import { startMockServer } from "../../../../mock-server/server.ts";
import {
  agentInputs,
  apiKey,
  ask,
  deploymentsOf,
  makeDeployment,
  ownedBy,
  writesOf,
} from "../../../kit/github/agents.ts";
import { runAction } from "../../../kit/github/run-action.ts";

const event = { name: "push", ref: "refs/heads/main", sha: "a".repeat(40) };
const own = "acme/agents#deploy";
const created = ["POST /v2/deployments 201"];
const changed = [...created, "PATCH /v2/deployments/… 200"];
const hidden = (name: string) => ({ name, value: "****" });

type Mock = Awaited<ReturnType<typeof startMockServer>>;

async function markerOf(mock: Mock): Promise<string | undefined> {
  const [{ secrets }] = await deploymentsOf(mock);
  return secrets.find(({ name }: { name: string }) => name === "GRAPHDEPLOY_MANAGED_BY")?.value;
}

test.each(["deploy", "redeploy"])(
  "%s continues with an unmarked deployment of the same repository, says so and marks it",
  async (operation) => {
    await using mock = await startMockServer({ port: 0, transitions: "immediate" });
    const { id } = await makeDeployment(mock, { secrets: [{ name: "BY_HAND", value: "set-by-hand" }] });
    const inputs = agentInputs(mock, { operation });
    const first = await runAction({ event, inputs });
    expect(first.outputs.result, first.log).toBe("deployed");
    expect(first.log).toMatch(new RegExp(`^::warning .*support-agent \\(${id}\\) carries no ownership marker`, "m"));
    expect(await markerOf(mock)).toBe(own);
    expect(writesOf(mock)).toEqual(changed);
    const second = await runAction({ event, inputs });
    expect(second.outputs.result).toBe("deployed");
    expect(second.log).not.toContain("ownership marker");
  },
);

const foreign = [
  [
    "pulumi#urn:pulumi:dev::agents::Deployment::agent#g-0123456789ab",
    "pulumi#urn:pulumi:dev::agents::Deployment::agent",
  ],
  ["acme/other#deploy", "acme/other#deploy"],
  ["acme/agents#pr-12", "acme/agents#pr-12"],
] as const;

test.each(
  foreign.flatMap(([marker, owner]) => ["deploy", "redeploy", "plan"].map((operation) => [marker, operation, owner])),
)("a deployment marked as %s is refused by %s, which says whose it is", async (marker, operation, owner) => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await makeDeployment(mock, ownedBy(marker));
  const { code, outputs, log } = await runAction({ event, inputs: agentInputs(mock, { operation }) });
  expect([code, outputs.result], log).toEqual([1, "failed"]);
  expect(log).toContain(`is owned by ${owner}, not by ${own}.`);
  expect(log).toContain("set adopt to true");
  expect(writesOf(mock)).toEqual(created);
});

test.each(["deploy", "redeploy"])("with adopt, %s takes over a deployment of another owner", async (operation) => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await makeDeployment(mock, {
    secrets: [...ownedBy("acme/other#deploy").secrets, { name: "KEPT", value: "kept-value" }],
  });
  const { outputs, log } = await runAction({ event, inputs: agentInputs(mock, { operation, adopt: "true" }) });
  expect(outputs.result, log).toBe("deployed");
  expect(log).toContain("It is taken over (adopt).");
  expect(await markerOf(mock)).toBe(own);
  expect((await deploymentsOf(mock))[0].secrets).toContainEqual({ name: "KEPT", value: "kept-value" });
  expect(writesOf(mock)).toEqual(changed);
});

test("repository names are compared case-insensitively", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await makeDeployment(mock, ownedBy("Acme/Agents#deploy"));
  const { outputs, log } = await runAction({ event, inputs: agentInputs(mock) });
  expect(outputs.result, log).toBe("deployed");
  expect(log).not.toContain("is owned by");
});

test("an unmarked deployment of another repository is refused", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  const source_config = {
    repo_url: "https://github.com/acme/other",
    integration_id: "1b2f8a90-5f0e-4a6e-8a31-2f1d3c4b5a69",
    deployment_type: "dev",
  };
  await makeDeployment(mock, { source_config });
  const { outputs, log } = await runAction({ event, inputs: agentInputs(mock) });
  expect(outputs.result).toBe("failed");
  expect(log).toContain("is made from https://github.com/acme/other, not from https://github.com/acme/agents.");
  // The source can't change, so the adoption's error names the difference.
  const adopted = await runAction({ event, inputs: agentInputs(mock, { adopt: "true" }) });
  expect(adopted.log).toMatch(/can't become the declared one: repo-url is "https:\/\/github.com\/acme\/other" there/);
  expect(writesOf(mock)).toEqual(created);
});

test("the image shows who owns an unmarked deployment", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  const makeImage = (name: string, image_uri: string) =>
    ask(mock, "POST", "/api-host/v2/deployments", {
      name,
      source: "external_docker",
      source_config: { resource_spec: {} },
      source_revision_config: { image_uri },
      secrets: [],
    });
  await makeImage("own", "ghcr.io:443/acme/agent:1");
  await makeImage("other", "ghcr.io/mallory/agent:1");
  const deploy = (name: string, image: string) =>
    runAction({
      event,
      inputs: { "api-key": apiKey, "base-url": mock.selfHostedUrl, name, "image-uri": image },
    });
  const own = await deploy("own", "ghcr.io:443/acme/agent@sha256:abc");
  expect(own.outputs.result, own.log).toBe("deployed");
  const other = await deploy("other", "ghcr.io/acme/agent:1");
  expect(other.outputs.result).toBe("failed");
  expect(other.log).toContain("runs the image ghcr.io/mallory/agent:1, not one of ghcr.io/acme/agent.");
});

test("where the platform hides the marker, the run says that ownership can't be shown", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await makeDeployment(mock, { secrets: [hidden("GRAPHDEPLOY_MANAGED_BY")] });
  const { outputs, log } = await runAction({ event, inputs: agentInputs(mock) });
  expect(outputs.result, log).toBe("deployed");
  expect(log).toMatch(/^::notice .*The platform hides the value of GRAPHDEPLOY_MANAGED_BY/m);
});

test("a preview whose marker is hidden is recognized by its second entry", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await makeDeployment(mock, { secrets: [hidden("GRAPHDEPLOY_MANAGED_BY"), hidden("GRAPHDEPLOY_PREVIEW_PR_12")] });
  const { outputs, log } = await runAction({ event, inputs: agentInputs(mock) });
  expect(outputs.result).toBe("failed");
  expect(log).toContain("carries the marker GRAPHDEPLOY_PREVIEW_PR_12 of a preview");
});

test("a run that loses the race to create doesn't change the winner's deployment", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await makeDeployment(mock, ownedBy("acme/other#deploy"));
  mock.faults.replace([
    {
      match: { method: "GET", path: "/v2/deployments" },
      times: 2,
      effect: { status: 200, body: { resources: [], offset: 0 } },
    },
  ]);
  const { outputs, log } = await runAction({ event, inputs: agentInputs(mock) });
  expect(outputs.result).toBe("failed");
  expect(log).toContain("is owned by acme/other#deploy");
  expect(log).not.toContain("taken over");
  expect(writesOf(mock)).toEqual([...created, "POST /v2/deployments 409"]);
});

const deletion = { operation: "delete" };
const dispatch = { name: "workflow_dispatch", ref: "refs/heads/main" };

test("where the platform hides the marker, a deletion needs adopt", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await makeDeployment(mock, { secrets: [hidden("GRAPHDEPLOY_MANAGED_BY")] });
  const refused = await runAction({ event: dispatch, inputs: agentInputs(mock, deletion) });
  expect([refused.code, refused.outputs.result], refused.log).toEqual([1, "failed"]);
  expect(refused.log).toContain("the platform hides the value of GRAPHDEPLOY_MANAGED_BY");
  expect(refused.log).toContain("Only adopt: true deletes it anyway.");
  expect(writesOf(mock)).toEqual(created);
  const adopted = await runAction({ event: dispatch, inputs: agentInputs(mock, { ...deletion, adopt: "true" }) });
  expect([adopted.code, adopted.outputs.result], adopted.log).toEqual([0, "deleted"]);
  expect(await deploymentsOf(mock)).toEqual([]);
});

test("the owner of a deployment to delete is read by id, since a listing may be stale", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  const theirs = await makeDeployment(mock, ownedBy("pulumi#urn:pulumi:dev::agents::Deployment::agent"));
  const body = { resources: [{ ...theirs, ...ownedBy(own) }], offset: 0 };
  mock.faults.replace([{ match: { operation: "list_deployments" }, effect: { status: 200, body } }]);
  const { outputs, log } = await runAction({ event: dispatch, inputs: agentInputs(mock, deletion) });
  expect(outputs.result, log).toBe("failed");
  expect(log).toContain("is owned by pulumi#urn:pulumi:dev::agents::Deployment::agent");
  expect(writesOf(mock)).toEqual(created);
});

test("an unmarked deployment is only deleted with adopt", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await makeDeployment(mock);
  const refused = await runAction({ event: dispatch, inputs: agentInputs(mock, deletion) });
  expect(refused.outputs.result).toBe("failed");
  expect(refused.log).toContain("carries no ownership marker (GRAPHDEPLOY_MANAGED_BY)");
  expect(refused.log).toContain("Only adopt: true deletes it anyway.");
  expect(writesOf(mock)).toEqual(created);
  const adopted = await runAction({ event: dispatch, inputs: agentInputs(mock, { ...deletion, adopt: "true" }) });
  expect(adopted.outputs.result, adopted.log).toBe("deleted");
});

const otherRepository = {
  source_config: {
    repo_url: "https://github.com/acme/other",
    integration_id: "1b2f8a90-5f0e-4a6e-8a31-2f1d3c4b5a69",
    deployment_type: "dev",
  },
};

test.each<[string, Record<string, unknown>, string]>([
  ["another owner's marker", ownedBy("acme/other#deploy"), "is owned by acme/other#deploy"],
  [
    "a Pulumi program's marker",
    ownedBy("pulumi#urn:pulumi:dev::agents::Deployment::agent#g-0123456789ab"),
    "is owned by pulumi#urn",
  ],
  [
    "a preview's entry",
    { secrets: [hidden("GRAPHDEPLOY_MANAGED_BY"), hidden("GRAPHDEPLOY_PREVIEW_PR_12")] },
    "carries the marker GRAPHDEPLOY_PREVIEW_PR_12 of a preview",
  ],
  ["another repository", otherRepository, "is made from https://github.com/acme/other"],
  [
    "another repository and a hidden marker",
    { ...otherRepository, secrets: [hidden("GRAPHDEPLOY_MANAGED_BY")] },
    "is made from https://github.com/acme/other",
  ],
])("adopt never deletes what is somebody else's: %s", async (_, body, reason) => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await makeDeployment(mock, body);
  const { code, outputs, log } = await runAction({
    event: dispatch,
    inputs: agentInputs(mock, { ...deletion, adopt: "true" }),
  });
  expect([code, outputs.result], log).toEqual([1, "failed"]);
  expect(log).toContain(reason);
  expect(log).not.toContain("Only adopt: true deletes it anyway.");
  expect(writesOf(mock)).toEqual(created);
});

test("of an image deployment with a hidden marker, adopt deletes it, but never one of another image", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  for (const [name, image_uri] of [
    ["own", "ghcr.io/acme/agent:1"],
    ["other", "ghcr.io/mallory/agent:1"],
  ]) {
    await ask(mock, "POST", "/api-host/v2/deployments", {
      name,
      source: "external_docker",
      source_config: { resource_spec: {} },
      source_revision_config: { image_uri },
      secrets: [hidden("GRAPHDEPLOY_MANAGED_BY")],
    });
  }
  const run = (inputs: Record<string, string>) =>
    runAction({
      event: dispatch,
      inputs: { "api-key": apiKey, "base-url": mock.selfHostedUrl, ...deletion, ...inputs },
    });
  const image = { "image-uri": "ghcr.io/acme/agent:2" };
  expect((await run({ name: "own", ...image })).log).toContain("Only adopt: true deletes it anyway.");
  const other = await run({ name: "other", adopt: "true", ...image });
  expect(other.log).toContain("runs the image ghcr.io/mallory/agent:1");
  expect((await run({ name: "own", adopt: "true" })).outputs.result).toBe("deleted");
});

test.each(["true", "false"])(
  "a preview keeps its second entry, and adopt: %s changes nothing of that",
  async (adopt) => {
    await using mock = await startMockServer({ port: 0, transitions: "immediate" });
    await makeDeployment(mock, {
      name: "support-agent-pr-12",
      secrets: [hidden("GRAPHDEPLOY_MANAGED_BY"), hidden("GRAPHDEPLOY_PREVIEW_PR_12")],
    });
    await makeDeployment(mock, { name: "support-agent-pr-13", secrets: [hidden("GRAPHDEPLOY_MANAGED_BY")] });
    const close = (number: string) =>
      runAction({ event: dispatch, inputs: agentInputs(mock, { ...deletion, adopt, "pull-request": number }) });
    expect((await close("12")).outputs.result).toBe("deleted");
    expect((await close("13")).outputs.result).toBe("skipped");
    expect((await deploymentsOf(mock)).map(({ name }: { name: string }) => name)).toEqual(["support-agent-pr-13"]);
  },
);
