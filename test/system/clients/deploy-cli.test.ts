import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { startBuiltMock } from "../../kit/clients/built-server.ts";
import { apiOf } from "../../kit/mock-server/api.ts";
import { run } from "../../kit/python/run.ts";
import { virtualEnvironment } from "../../kit/python/virtual-environment.ts";

const python = await virtualEnvironment("langgraph-cli==0.4.40");
const skip = python.missing === undefined ? "" : ` (skipped: ${python.missing})`;
const quickCli = fileURLToPath(new URL("quick_cli.py", import.meta.url));
const unknownId = "00000000-0000-4000-8000-00000000dead";
const digest = `registry.example/agent@sha256:${"a".repeat(64)}`;

const folder = await mkdtemp(join(tmpdir(), "deploy-cli-"));
const config = { dependencies: ["."], graphs: { agent: "./agent.py:graph" } };
await writeFile(join(folder, "langgraph.json"), JSON.stringify(config));
await writeFile(join(folder, "agent.py"), "graph = None\n");
const mock = await startBuiltMock("--transitions", "immediate", "--api-key", "key");
afterAll(async () => {
  await mock[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});
const controlPlane = apiOf(mock.url);
const selfHosted = `${mock.url}/api-host`;
const asOwner = { "x-api-key": "key" };

/** Runs the CLI's `deploy` with arguments, and with a valid key unless `key` is given. */
async function deploy(
  args: string[],
  { url = mock.url, key = "key", interruptAt = undefined as string | undefined } = {},
) {
  if (python.missing !== undefined) throw new Error(python.missing);
  const env = { LANGSMITH_API_KEY: key, LANGGRAPH_CLI_NO_ANALYTICS: "1", HOME: folder };
  const options = { cwd: folder, env, ...(interruptAt === undefined ? {} : { interruptAt }) };
  return run(python.command("python"), [quickCli, "deploy", ...args, "--host-url", url], options);
}

/** Deploys the folder's source under a name. */
const deployFolder = (name: string, ...args: string[]) => deploy(["--name", name, "--remote", "--no-input", ...args]);

async function deploymentNamed(name: string) {
  const { body } = await controlPlane("GET", `/v2/deployments?name_contains=${name}`, undefined, asOwner);
  return body.resources.find((deployment: { name: string }) => deployment.name === name);
}

/** The exit code of a command and part of its output. */
const ended = (code: number, ...texts: string[]) => ({
  code,
  output: expect.stringMatching(new RegExp(texts.map((text) => text.replace(/[^\w\s]/g, "\\$&")).join("[^]*"))),
});

test.skipIf(skip)(`this file covers every command of the group${skip}`, async () => {
  const { output } = await deploy(["--help"]);
  const commands = [...(output.split("Commands:")[1] ?? "").matchAll(/^ {2}(\w+(?: \w+)?) {2,}/gm)].map(
    ([, name]) => name,
  );
  const known = ["delete", "list", "listeners", "listeners list", "logs", "revisions", "revisions list"];
  expect(commands).toEqual(known);
});

test.skipIf(skip)(`a deployment is created, updated, listed, inspected and deleted${skip}`, async () => {
  expect(await deployFolder("from-cli")).toMatchObject(ended(0, "Will create", "Deployment successful", "/agents/"));
  const deployment = await deploymentNamed("from-cli");
  const { id } = deployment;
  expect(deployment).toMatchObject({ source: "internal_source" });
  expect(await deploy(["--deployment-id", id, "--remote", "--no-input"])).toMatchObject(ended(0, "successful"));
  const updated = await deployFolder("from-cli", "--json");
  expect(JSON.parse(updated.output.trim().split("\n").at(-1) as string)).toMatchObject({
    event: "result",
    status: "succeeded",
    deployment_id: id,
    url: `${mock.url}/agents/${id}`,
  });
  expect(await deployFolder("from-cli", "--no-wait")).toMatchObject(ended(0, "Build triggered"));
  const { latest_revision_id: latest } = await deploymentNamed("from-cli");
  expect(latest).not.toBe(deployment.latest_revision_id);

  const logs = ["logs", "--deployment-id", id];
  const [list, none, json, revisions, one, build, byName, filtered, early] = await Promise.all([
    deploy(["list"]),
    deploy(["list", "--name-contains", "nobody"]),
    deploy(["list", "--json", "--name-contains", "from"]),
    deploy(["revisions", "list", id]),
    deploy(["revisions", "list", id, "--limit", "1"]),
    deploy([...logs, "--type", "build"]),
    deploy(["logs", "--name", "from-cli"]),
    deploy([...logs, "--level", "info", "--query", "startup", "--limit", "1", "--revision-id", latest]),
    deploy([...logs, "--end-time", "2020-01-01T00:00:00Z"]),
  ]);
  expect(list).toMatchObject(ended(0, id, "from-cli", `${mock.url}/agents/${id}`));
  expect(none).toMatchObject(ended(0, "No deployments found."));
  expect(JSON.parse(json.output)).toEqual([{ id, name: "from-cli" }]);
  expect(revisions).toMatchObject(ended(0, latest, "DEPLOYED", "REPLACED"));
  expect(one.output).not.toContain("REPLACED");
  expect(build).toMatchObject(ended(0, `Using latest revision: ${latest}`, "Found the graphs agent"));
  expect(byName).toMatchObject(ended(0, "Application startup complete."));
  expect(filtered).toMatchObject({
    code: 0,
    output: expect.stringMatching(/^\[.*\] \[INFO\] Application startup complete\.\n$/),
  });
  expect(early).toMatchObject(ended(0, "No log entries found."));

  const following = deploy([...logs, "--start-time", new Date().toISOString(), "--follow"], { interruptAt: "startup" });
  const requestsOfCli = async () => {
    const { body } = await controlPlane("GET", `/_mock/requests?path=/v1/projects/${id}/deploy_logs`);
    return body.requests.length as number;
  };
  for (const before = await requestsOfCli(); (await requestsOfCli()) < before + 3; );
  await controlPlane("PATCH", `/v2/deployments/${id}`, { secrets: [{ name: "A", value: "value" }] }, asOwner);
  expect(await following).toMatchObject(ended(0, "Application startup complete.", "Stopped."));

  expect(await deploy(["delete", "--force", id])).toMatchObject(ended(0, "Deleted deployment"));
  expect(await deploymentNamed("from-cli")).toBeUndefined();
});

test.skipIf(skip)(
  `a failed build, rollout and create are reported, and so is one that doesn't end${skip}`,
  async () => {
    const rules = [
      { name: "bad-build", fail: "BUILD_FAILED" },
      { name: "bad-deploy", fail: "DEPLOY_FAILED" },
      { name: "bad-create", fail: "CREATE_FAILED" },
      { name: "stuck", stick: "BUILDING" },
    ];
    await controlPlane("PUT", "/_mock/transitions", { mode: "immediate", rules });
    const [build, rollout, creation, stuck] = await Promise.all([
      deployFolder("bad-build"),
      deployFolder("bad-deploy"),
      deployFolder("bad-create"),
      deployFolder("stuck", "--verbose"),
    ]);
    for (const failed of [build, rollout, creation]) expect(failed).toMatchObject(ended(1, "Deployment failed"));
    expect(stuck).toMatchObject(ended(0, "Unpacked 2 files", "BUILDING", "Timed out waiting for deployment."));
    const { id } = await deploymentNamed("bad-build");
    expect(await deploy(["revisions", "list", id])).toMatchObject(ended(0, "BUILD_FAILED"));
    expect(await deploy(["logs", "--deployment-id", id, "--type", "build"])).toMatchObject(ended(0, "[ERROR]"));
  },
);

test.skipIf(skip)(
  `missing objects, forbidden requests and invalid arguments are reported with the reason${skip}`,
  async () => {
    const missing = `Deployment ID ${unknownId} not found.`;
    const refused: [string[], string, object?][] = [
      [["list"], "401: Invalid API key.", { key: "wrong" }],
      [["--name", "any", "--remote", "--no-input"], "401: Invalid API key.", { key: "wrong" }],
      [["list", "--json"], "No LangSmith API key found", { key: "" }],
      [["--deployment-id", unknownId, "--remote", "--no-input"], missing],
      [["delete", "--force", unknownId], missing],
      [["delete", unknownId], "Aborted!"],
      [["revisions", "list", unknownId], missing],
      [["logs", "--deployment-id", unknownId], missing],
      [["logs", "--deployment-id", unknownId, "--type", "build"], missing],
      [["logs", "--name", "nobody"], "Deployment 'nobody' not found."],
      // Agent deployments of the CLI are a private beta, which the server refuses by name.
      [["list", "--agent-id", "a"], "agent_id"],
      [["list", "--agent-environment", "production"], "agent_environment"],
      [
        ["--name", "any", "--image-uri", digest, "--no-input"],
        'source "external_docker" is only available for self-hosted',
      ],
      [
        ["--name", "any", "--remote", "--no-input"],
        'source "internal_source" is only available for cloud-hosted',
        { url: selfHosted },
      ],
    ];
    const results = await Promise.all(refused.map(([args, , options]) => deploy(args, options)));
    results.forEach((result, index) => {
      expect(result).toMatchObject(ended(1, refused[index]?.[1] as string));
    });
  },
);

test.skipIf(skip)(`an image is deployed through a listener of the self-hosted edition${skip}`, async () => {
  const listener = { compute_type: "k8s", compute_id: "cluster", compute_config: { k8s_namespaces: ["agents"] } };
  expect(await deploy(["listeners", "list"], { url: selfHosted })).toMatchObject(ended(0, "No listeners found"));
  const { id } = (await apiOf(selfHosted)("POST", "/v2/listeners", listener, asOwner)).body;
  const fromImage = (name: string, ...args: string[]) =>
    deploy(["--name", name, "--image-uri", digest, "--no-input", ...args], { url: selfHosted });
  const through = (listenerId: string, namespace: string) => [
    "--listener-id",
    listenerId,
    "--k8s-namespace",
    namespace,
  ];

  const created = await fromImage("listened", ...through(id, "agents"), "--image-pull-secret", "registry");
  expect(created).toMatchObject(
    ended(0, `Deploying through listener ${id} in namespace agents`, "Deployment successful"),
  );
  const [listeners, json, updated, unknown, elsewhere] = await Promise.all([
    deploy(["listeners", "list"], { url: selfHosted }),
    deploy(["listeners", "list", "--json"], { url: selfHosted }),
    fromImage("listened"),
    fromImage("other", ...through(unknownId, "agents")),
    fromImage("other", ...through(id, "elsewhere")),
  ]);
  expect(listeners).toMatchObject(ended(0, id, "cluster", "agents"));
  expect(JSON.parse(json.output)).toMatchObject([{ id, ...listener }]);
  expect(updated).toMatchObject(ended(0, "Updating deployment", "Deployment successful"));
  expect(unknown).toMatchObject(ended(2, `Listener ${unknownId} was not found in this workspace.`, id));
  expect(elsewhere).toMatchObject(ended(2, "does not serve namespace 'elsewhere'"));
});

test.skipIf(skip)(`the server supports every request of the CLI${skip}`, async () => {
  expect((await controlPlane("GET", "/_mock/requests?unmatched=true")).body.requests).toEqual([]);
});
