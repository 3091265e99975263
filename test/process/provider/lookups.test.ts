import * as pulumi from "@pulumi/pulumi";
import { afterEach, expect, test, vi } from "vitest";
import { Deployment } from "../../../provider/deployment.ts";
import { providerText } from "../../../provider/dynamic.ts";
import { type GetDeploymentArgs, getDeployment, getDeploymentOutput } from "../../../provider/get-deployment.ts";
import { Provider } from "../../../provider/provider.ts";
import { apiKey, elsewhere, type Ground, program, startGround, startLogs, summary } from "../../kit/provider/ground.ts";

const urn = "urn:pulumi:test::program::pulumi-nodejs:dynamic/graphdeploy:Deployment::found";
const nowhere = "00000000-0000-4000-8000-00000000abcd";

afterEach(() => vi.unstubAllEnvs());

/** A deployment that is managed elsewhere, and the settings of this process. */
async function startWithDeployment(): Promise<Ground & { id: string }> {
  const ground = await startGround();
  vi.stubEnv("GRAPHDEPLOY_BASE_URL", ground.mock.url);
  vi.stubEnv("GRAPHDEPLOY_API_KEY", apiKey);
  expect(summary(await ground.engine.up(program()))).toEqual(["create"]);
  return Object.assign(ground, { id: ground.engine.resources.get("agent")?.id ?? "" });
}

/** Reads without outputs, as the engine does for `Deployment.get`. */
function get({ provider }: Ground, id: string) {
  return provider.process.read(urn, id, { __provider: providerText }, { __provider: providerText });
}

test("get fails if the deployment doesn't exist, and a refresh reports that it is gone", async () => {
  await using ground = await startWithDeployment();
  const where = `in the key's workspace at ${ground.mock.url}`;
  await expect(get(ground, nowhere)).rejects.toThrow(`There is no deployment ${nowhere} ${where}.`);
  await expect(getDeployment({ id: nowhere })).rejects.toThrow(`There is no deployment ${nowhere} ${where}.`);
  await expect(getDeployment({ name: "none" })).rejects.toThrow(`no deployment is named "none" ${where}.`);

  await elsewhere(ground.mock, "DELETE", `/v2/deployments/${ground.id}`);
  expect(summary(await ground.engine.refresh())).toEqual(["delete"]);
});

test("a deployment in deletion doesn't exist for a lookup, but does for its own stack", async () => {
  await using ground = await startWithDeployment();
  const { mock, id } = ground;
  const being = `Deployment agent (${id}) is being deleted: its status is AWAITING_DELETE.`;
  mock.faults.replace([
    { match: { operation: "get_deployment" }, effect: { status: 200, body: await dying(ground, id) } },
  ]);
  await expect(get(ground, id)).rejects.toThrow(being);
  await expect(getDeployment({ id })).rejects.toThrow(being);
  await expect(getDeployment({ name: "agent" })).rejects.toThrow(being);
  expect(summary(await ground.engine.refresh())).toEqual(["read"]);
});

async function dying({ mock }: Ground, id: string): Promise<unknown> {
  return { ...((await elsewhere(mock, "GET", `/v2/deployments/${id}`)) as object), status: "AWAITING_DELETE" };
}

test("get returns every output of a deployment", async () => {
  await using ground = await startWithDeployment();
  const { outputs } = ground.engine.resources.get("agent") ?? {};
  const found: Record<string, unknown> = {};
  await ground.engine.preview(() => {
    const deployment = Deployment.get("found", ground.id) as unknown as Record<string, pulumi.Output<unknown>>;
    for (const name of ["name", "source", ...Object.keys(outputs ?? {})]) {
      deployment[name]?.apply((value) => {
        found[name] = value;
      });
    }
  });
  expect(found).toMatchObject({ name: "agent", source: "github" });
  for (const name of ["status", "url", "latestRevisionId", "activeRevisionId", "revisionStatus", "commit"]) {
    expect(found[name], name).toBe(outputs?.[name]);
    expect(found[name], name).toBeDefined();
  }
  for (const name of ["tenantId", "baseUrl", "createdAt", "updatedAt"]) {
    expect(found[name], name).toBe(outputs?.[name]);
    expect(found[name], name).toBeDefined();
  }
});

test("a refresh of a lookup reads everything again, and says nothing about ownership", async () => {
  await using logs = await startLogs();
  await using ground = await startGround({ logs: logs.address });
  await ground.engine.up(program());
  const id = ground.engine.resources.get("agent")?.id ?? "";
  const found = await get(ground, id);
  await elsewhere(ground.mock, "PATCH", `/v2/deployments/${id}`, { display_name: "Agent" });
  const refreshed = await ground.provider.process.read(urn, id, found.outputs, { __provider: providerText });
  expect(refreshed.outputs).toMatchObject({ name: "agent", displayName: "Agent" });
  expect(logs.lines.filter(({ severity }) => severity === "warning")).toEqual([]);
});

test("a lookup by neither name nor id, by both or by an empty value is refused before any request", async () => {
  await using ground = await startGround();
  const given = (args: Record<string, unknown>) => getDeployment(args as unknown as GetDeploymentArgs);
  await expect(given({})).rejects.toThrow("getDeployment: give either an id or a name.");
  await expect(given({ id: "a", name: "b" })).rejects.toThrow("getDeployment: give either an id or a name.");
  await expect(given({ id: "" })).rejects.toThrow("getDeployment: the id is empty, or not a string.");
  await expect(given({ name: " " })).rejects.toThrow("getDeployment: the name is empty, or not a string.");
  await expect(given({ name: null })).rejects.toThrow("getDeployment: the name is empty, or not a string.");
  for (const id of ["", " ", undefined]) {
    expect(() => Deployment.get("found", id as string)).toThrow('Deployment.get("found"): the id is empty.');
  }
  expect(ground.mock.requests()).toEqual([]);
});

test("a lookup by an unknown value is unknown or reports it, and makes no request", async () => {
  await using ground = await startWithDeployment();
  const before = ground.mock.requests().length;
  await ground.engine.preview(async () => {
    const unknown = pulumi.output(pulumi.unknown as unknown as string);
    let isRun = false;
    getDeploymentOutput({ id: unknown }).apply(() => {
      isRun = true;
    });
    const provider = new Provider({ apiKey: unknown });
    getDeploymentOutput({ name: "agent" }, { provider }).apply(() => {
      isRun = true;
    });
    await expect(getDeployment({ name: "agent" }, { provider })).rejects.toThrow(
      "getDeployment: the settings of the provider aren't known yet. Use getDeploymentOutput.",
    );
    expect(isRun).toBe(false);
  });
  expect(ground.mock.requests().length).toBe(before);
});
