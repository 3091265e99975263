import { expect, test } from "vitest";
import { startMockServer } from "../../../mock-server/server.ts";
import {
  agentInputs,
  apiKey,
  ask,
  deploymentsOf,
  makeDeployment,
  markedAs,
  writesOf,
} from "../../support/github/agents.ts";
import { runAction } from "../../support/github/run-action.ts";

const event = { name: "push", ref: "refs/heads/main", sha: "a".repeat(40) };
const own = "acme/agents#deploy";
const created = ["POST /v2/deployments 201"];
const changed = [...created, "PATCH /v2/deployments/… 200"];
const hidden = (name: string) => ({ name, value: "****" });

type Mock = Awaited<ReturnType<typeof startMockServer>>;

async function markOf(mock: Mock): Promise<string | undefined> {
  const [{ secrets }] = await deploymentsOf(mock);
  return secrets.find(({ name }: { name: string }) => name === "GRAPHDEPLOY_MANAGED_BY")?.value;
}

test.each(["deploy", "redeploy"])(
  "%s goes on with an unmarked deployment of the same repository, says so and marks it",
  async (operation) => {
    await using mock = await startMockServer({ port: 0, transitions: "immediate" });
    const { id } = await makeDeployment(mock, { secrets: [{ name: "BY_HAND", value: "set-by-hand" }] });
    const inputs = agentInputs(mock, { operation });
    const first = await runAction({ event, inputs });
    expect(first.outputs.result, first.log).toBe("deployed");
    expect(first.log).toMatch(new RegExp(`^::warning .*support-agent \\(${id}\\) carries no ownership marker`, "m"));
    expect(await markOf(mock)).toBe(own);
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
  foreign.flatMap(([mark, owner]) => ["deploy", "redeploy", "plan"].map((operation) => [mark, operation, owner])),
)("a deployment marked as %s is refused by %s, which says whose it is", async (mark, operation, owner) => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await makeDeployment(mock, markedAs(mark));
  const { code, outputs, log } = await runAction({ event, inputs: agentInputs(mock, { operation }) });
  expect([code, outputs.result], log).toEqual([1, "failed"]);
  expect(log).toContain(`is owned by ${owner}, not by ${own}.`);
  expect(log).toContain("set adopt to true");
  expect(writesOf(mock)).toEqual(created);
});

test.each(["deploy", "redeploy"])("with adopt, %s takes over what is somebody else's", async (operation) => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await makeDeployment(mock, {
    secrets: [...markedAs("acme/other#deploy").secrets, { name: "KEPT", value: "kept-value" }],
  });
  const { outputs, log } = await runAction({ event, inputs: agentInputs(mock, { operation, adopt: "true" }) });
  expect(outputs.result, log).toBe("deployed");
  expect(log).toContain("It is taken over (adopt).");
  expect(await markOf(mock)).toBe(own);
  expect((await deploymentsOf(mock))[0].secrets).toContainEqual({ name: "KEPT", value: "kept-value" });
  expect(writesOf(mock)).toEqual(changed);
});

test("the letters of a repository's name may differ in case", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await makeDeployment(mock, markedAs("Acme/Agents#deploy"));
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
  // Nobody can change what it is made from, so an adoption says where the difference is.
  const adopted = await runAction({ event, inputs: agentInputs(mock, { adopt: "true" }) });
  expect(adopted.log).toMatch(/can't become the declared one: repo-url is "https:\/\/github.com\/acme\/other" there/);
  expect(writesOf(mock)).toEqual(created);
});

test("of an unmarked image deployment the image tells whose it is", async () => {
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

test("where the platform hides the marker, the run says that nothing shows whose the deployment is", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await makeDeployment(mock, { secrets: [hidden("GRAPHDEPLOY_MANAGED_BY")] });
  const { outputs, log } = await runAction({ event, inputs: agentInputs(mock) });
  expect(outputs.result, log).toBe("deployed");
  expect(log).toMatch(/^::notice .*The platform hides the value of GRAPHDEPLOY_MANAGED_BY/m);
});

test("a preview whose marker is hidden is known by its second entry, and never deployed to by another name", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await makeDeployment(mock, { secrets: [hidden("GRAPHDEPLOY_MANAGED_BY"), hidden("GRAPHDEPLOY_PREVIEW_PR_12")] });
  const { outputs, log } = await runAction({ event, inputs: agentInputs(mock) });
  expect(outputs.result).toBe("failed");
  expect(log).toContain("carries the mark GRAPHDEPLOY_PREVIEW_PR_12 of a preview");
});

test("a run that loses the race to create to somebody else changes nothing of theirs", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  await makeDeployment(mock, markedAs("acme/other#deploy"));
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
