import * as pulumi from "@pulumi/pulumi";
import { expect, test } from "vitest";
import { ControlPlane } from "../../../core/client/client.ts";
import { reconcile } from "../../../core/reconcile/reconcile.ts";
import { Deployment, type DeploymentArgs } from "../../../provider/deployment.ts";
import { Provider, type ProviderArgs } from "../../../provider/provider.ts";
import { declaration, deployment } from "../../kit/deployments.ts";
import { FakeClock } from "../../kit/fake-clock.ts";
import {
  elsewhere,
  type Ground,
  platform,
  program,
  startGround,
  startLogs,
  startProvider,
  summary,
  writes,
} from "../../kit/provider/ground.ts";
import { startScriptedServer } from "../../kit/scripted-server.ts";

/** The error of one `up` of an invalid program, which must not write or store anything. */
async function refusal(ground: Ground, changes: Record<string, unknown>): Promise<string[]> {
  const said = summary(await ground.engine.up(program(changes as Partial<DeploymentArgs>)));
  expect(writes(ground.mock)).toEqual([]);
  expect(ground.engine.resources.size).toBe(0);
  return said;
}

/**
 * The engine's prefix of a reason. The engine never shows a whole input property, because that would reveal its value.
 */
const shownPath = (path: string) => (/[.[]/.test(path) ? `${path}: ` : "");

/** `<request>` stands for the request's id. */
function withoutIds(said: readonly string[]): string[] {
  return said.map((line) =>
    line.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<id>").replace(/:\d{4,5}/g, ":<port>"),
  );
}

test("each invalid argument is refused at its path, before any request", async () => {
  await using ground = await startGround();
  const at = async (path: string, reason: string, changes: Record<string, unknown>) =>
    expect(await refusal(ground, changes)).toEqual([`create: ${shownPath(path)}${reason}`]);

  await at(
    "sourceConfig.buildOnPush",
    "sourceConfig.buildOnPush must be false with the tag refs/tags/v1: a tag doesn't move, so no push can build it.",
    { sourceConfig: { buildOnPush: true }, sourceRevisionConfig: { repoRef: "refs/tags/v1" } },
  );
  await at("sourceRevisionConfig.repoRef", 'sourceRevisionConfig.repoRef is the full ref of a branch; write "main".', {
    sourceRevisionConfig: { repoRef: "refs/heads/main" },
  });
  await at(
    "sourceRevisionConfig.imageUri",
    "sourceRevisionConfig.imageUri is declared together with sourceConfig.repoUrl: a deployment comes from an image or from a repository. Remove one.",
    { sourceRevisionConfig: { imageUri: "registry.example/agent:1" } },
  );
  await at("name", "name must not be empty.", { name: "" });
  await at("secrets.TOKEN", "secrets.TOKEN is declared in env as well. Keep one of the two.", {
    env: { TOKEN: "a" },
    secrets: { TOKEN: "b-secret" },
  });
  await at(
    "secrets.LANGSMITH_API_KEY",
    "secrets.LANGSMITH_API_KEY is reserved: the platform sets it itself. Choose another name.",
    { secrets: { LANGSMITH_API_KEY: "sk-reserved" } },
  );
  await at(
    'env["MY-NAME"]',
    `env["MY-NAME"] isn't a valid name of an environment variable (letters, digits and _, not starting with a digit).`,
    { env: { "MY-NAME": "a" } },
  );
  await at("env.RETRIES", "env.RETRIES must be a string.", { env: { RETRIES: 3 } });
  await at("sourceConfig.repoURL", "sourceConfig.repoURL is not a field here. Did you mean repoUrl?", {
    sourceConfig: { repoURL: "https://github.com/acme/agent" },
  });
  await at(
    "sourceRevisionConfig.graphConfigPath",
    "sourceRevisionConfig.graphConfigPath is required for the source github: the path of the graph configuration file in the repository.",
    { sourceRevisionConfig: { graphConfigPath: undefined } },
  );
  await at("pushedCommit", "pushedCommit must be the full SHA of a commit.", { pushedCommit: "abc123" });
  expect(ground.mock.requests()).toEqual([]);
});

test("an invalid timeout is refused with an example", async () => {
  await using ground = await startGround();
  const said = async (timeouts: Record<string, unknown>) => (await refusal(ground, { timeouts }))[0];
  const bound = 'must be greater than zero. A wait needs a limit, for example "30m".';
  expect(await said({ create: 0 })).toBe(`create: timeouts.create: timeouts.create: 0 ${bound}`);
  expect(await said({ update: "-5m" })).toBe(`create: timeouts.update: timeouts.update: "-5m" ${bound}`);
  expect(await said({ delete: "soon" })).toBe(
    'create: timeouts.delete: timeouts.delete: "soon" is not a duration. Write "90s", "30m" or "1h30m", or a number of seconds.',
  );
  expect(await said({ read: "5m" })).toBe(
    "create: timeouts.read: timeouts.read is unknown: only create, update and delete wait.",
  );
  expect(ground.mock.requests()).toEqual([]);
});

test("a missing key names every place that was searched", async () => {
  await using ground = await startGround({ environment: { GRAPHDEPLOY_API_KEY: "" } });
  expect(await refusal(ground, {})).toEqual([
    "create: connection.apiKey: No API key: looked for apiKey, apiKeyEnv or apiKeyConfig of the Provider, GRAPHDEPLOY_API_KEY, the stack configuration graphdeploy:apiKey, LANGSMITH_API_KEY, LANGGRAPH_HOST_API_KEY and LANGCHAIN_API_KEY. Set GRAPHDEPLOY_API_KEY to a key of your workspace.",
  ]);
  expect(ground.mock.requests()).toEqual([]);
});

test("a wrong key and a wrong workspace are distinguished, and the key isn't repeated", async () => {
  await using ground = await startGround({
    mock: { apiKeys: { "the-right-key": ["workspace-1"] } },
    environment: { GRAPHDEPLOY_API_KEY: "a-wrong-key" },
  });
  expect(withoutIds(await refusal(ground, {}))).toEqual([
    "create: 2 UNKNOWN: GET /v2/deployments responded with 401: Invalid API key (request <id>). Check the API key: it is missing, mistyped or revoked, or belongs to another installation.",
  ]);
  await using provider = await startProvider({
    baseUrl: ground.mock.url,
    environment: { GRAPHDEPLOY_API_KEY: "the-right-key", GRAPHDEPLOY_WORKSPACE_ID: "workspace-2" },
  });
  expect(withoutIds(summary(await provider.engine.up(program())))).toEqual([
    "create: 2 UNKNOWN: GET /v2/deployments responded with 403: The API key has no access to this workspace (request <id>). Check the workspace ID, and that the API key may work in that workspace.",
  ]);
  expect(writes(ground.mock)).toEqual([]);
});

test("a self-hosted host without its prefix is recognized by a web page and by a bare 404", async () => {
  const page = { body: "<!doctype html><title>Sign in</title>", headers: { "content-type": "text/html" } };
  let scripted: { status: number; body?: string; headers?: Record<string, string> } = { status: 200, ...page };
  await using server = await startScriptedServer(() => scripted);
  await using provider = await startProvider({ baseUrl: server.url });
  const hint = `The control plane of a self-hosted installation is served at /api-host: set the base URL to ${server.url}/api-host.`;
  const said = async () => summary(await provider.engine.up(program()));

  expect(await said()).toEqual([
    `create: 2 UNKNOWN: GET /v2/deployments responded with a web page instead of JSON. ${hint}`,
  ]);
  scripted = { status: 404, ...page };
  expect(await said()).toEqual([`create: 2 UNKNOWN: GET /v2/deployments responded with 404: a web page. ${hint}`]);
  scripted = { status: 404 };
  expect(await said()).toEqual([`create: 2 UNKNOWN: GET /v2/deployments responded with 404: no message. ${hint}`]);
  expect(provider.engine.resources.size).toBe(0);
  expect(server.requests.every(({ method }) => method === "GET")).toBe(true);
});

test("a redirect isn't followed, and another service's JSON is refused", async () => {
  let scripted: { status: number; body?: unknown; headers?: Record<string, string> } = {
    status: 302,
    headers: { location: "https://login.example/" },
  };
  await using server = await startScriptedServer(() => scripted);
  const baseUrl = `${server.url}/api-host`;
  await using provider = await startProvider({ baseUrl });
  const said = async () => summary(await provider.engine.up(program()));
  expect(await said()).toEqual([
    `create: 2 UNKNOWN: GET /v2/deployments responded with 302, a redirect, which is not followed. Check the base URL ${baseUrl}: the API key is never sent to another address.`,
  ]);
  scripted = { status: 200, body: { hello: "world" } };
  expect(await said()).toEqual([
    `create: 2 UNKNOWN: GET /v2/deployments responded with a body that breaks the contract at resources: Invalid input: expected array, received undefined. Check that ${baseUrl} is a control plane of this platform.`,
  ]);
});

test("a truncated response is retried, and doesn't lose or duplicate a created deployment", async () => {
  await using ground = await startGround();
  ground.mock.faults.add(
    { match: { method: "POST", path: "/v2/deployments" }, times: 1, effect: { truncate: true } },
    { match: { operation: "get_revision" }, times: 1, effect: { malformed: true } },
  );
  expect(summary(await ground.engine.up(program()))).toEqual(["create"]);
  const { deployments, revisions } = await platform(ground.mock);
  expect([deployments.length, revisions.length]).toEqual([1, 1]);
  expect(ground.engine.resources.get("agent")?.id).toBe(deployments[0]?.id);
});

test("an unknown status is outlasted, with a warning", async () => {
  await using logs = await startLogs();
  await using ground = await startGround({ mock: { transitions: "time:1s" }, logs: logs.address });
  ground.mock.transitions.set({
    rules: [{ name: "agent", passThrough: "POLISHING", durations: { POLISHING: "2s" } }],
  });
  expect(summary(await ground.engine.up(program()))).toEqual(["create"]);
  expect(ground.engine.resources.get("agent")?.outputs).toMatchObject({ revisionStatus: "DEPLOYED" });
  expect(await logs.logged("POLISHING is unknown to this version; still waiting.")).toMatchObject({
    severity: "warning",
  });
});

test("unknown fields and values survive in every response", async () => {
  const strange = { nebula: { depth: 3 } };
  const found = { ...deployment({ status: "HIBERNATING", tenant_id: "workspace-1" }), ...strange };
  found.source_config = { ...found.source_config, deployment_type: "quantum", ...strange };
  const revision = {
    id: found.latest_revision_id,
    created_at: "2026-11-01T12:00:00Z",
    updated_at: "2026-11-01T12:00:00Z",
    status: "DEPLOYED",
    source: "teleport",
    source_revision_config: { repo_ref: "main", langgraph_config_path: "graph.json", ...strange },
    ...strange,
  };
  await using server = await startScriptedServer(({ method, path }) => {
    if (method === "POST") return { status: 201, body: found };
    if (path.includes("/revisions/")) return { body: revision };
    return path === "/v2/deployments" ? { body: { resources: [], offset: 0, ...strange } } : { body: found };
  });
  await using provider = await startProvider({ baseUrl: server.url });
  const wanted = program({ name: found.name, sourceConfig: { repoUrl: "https://github.com/acme/bot" } });
  expect(summary(await provider.engine.up(wanted))).toEqual(["create"]);
  expect(summary(await provider.engine.refresh())).toEqual(["read"]);
  expect(summary(await provider.engine.up(wanted))).toEqual(["same"]);
  expect(provider.engine.resources.get("agent")?.outputs).toMatchObject({ status: "HIBERNATING" });
});

test("a name in use is an error that names the owner and `adopt`", async () => {
  await using ground = await startGround();
  const other = (await elsewhere(ground.mock, "POST", "/v2/deployments", {
    name: "agent",
    source: "github",
    source_config: { repo_url: "https://github.com/acme/other" },
    source_revision_config: { repo_ref: "main", graph_config_path: "graph.json" },
    secrets: [],
  })) as { id: string };
  const [said] = summary(await ground.engine.up(program()));
  expect(said).toContain(`name: "agent" is in use by deployment ${other.id} since `);
  expect(said).toContain(
    "which carries no ownership marker. Choose another name, or set `adopt` to take that deployment over.",
  );
  expect(ground.engine.resources.size).toBe(0);
  expect(writes(ground.mock)).toEqual(["POST 201"]);
});

test.each([
  ["declared empty", { secrets: {} }],
  ["removed from the program", {}],
])("secrets that are %s are dropped, and what was set by hand stays", async (_how, changes) => {
  await using ground = await startGround();
  await ground.engine.up(program({ secrets: { MODEL_KEY: "sk-kept-value" } }));
  const { id, outputs } = ground.engine.resources.get("agent") ?? {};
  const marker = { name: "GRAPHDEPLOY_MANAGED_BY", value: outputs?.ownershipMarker };
  const byHand = { name: "BY_HAND", value: "set by hand" };
  const declared = { name: "MODEL_KEY", value: "sk-kept-value" };
  await elsewhere(ground.mock, "PATCH", `/v2/deployments/${id}`, { secrets: [declared, byHand, marker] });
  expect(summary(await ground.engine.up(program(changes)))).toEqual(["update"]);
  expect((await platform(ground.mock)).deployments[0]?.secrets).toEqual([byHand, marker]);
  expect(summary(await ground.engine.up(program(changes)))).toEqual(["same"]);
});

test("the last entry of the environment can be removed because the marker stays in the list", async () => {
  await using ground = await startGround();
  const names = async () => (await platform(ground.mock)).deployments[0]?.secrets?.map(({ name }) => name);
  await ground.engine.up(program({ secrets: { MODEL_KEY: "sk-removed-value" } }));
  expect(await names()).toEqual(["MODEL_KEY", "GRAPHDEPLOY_MANAGED_BY"]);
  expect(summary(await ground.engine.up(program({ secrets: {} })))).toEqual(["update"]);
  expect(await names()).toEqual(["GRAPHDEPLOY_MANAGED_BY"]);
  expect(summary(await ground.engine.up(program({ secrets: {} })))).toEqual(["same"]);
});

test("a null is refused at its path, in every argument but the triggers", async () => {
  await using ground = await startGround();
  const refused = async (path: string, changes: Record<string, unknown>, what = "null") =>
    expect(await refusal(ground, changes)).toEqual([
      `create: ${shownPath(path)}${path} is ${what}. Leave it out, or give it a value.`,
    ]);
  for (const name of ["name", "source", "env", "secrets", "secretReferences", "displayName"]) {
    await refused(name, { [name]: null });
  }
  for (const name of ["wait", "adopt", "deleteTracingProject", "pushedCommit", "timeouts"]) {
    await refused(name, { [name]: null });
  }
  for (const nothing of [null, undefined, pulumi.output(undefined), Promise.resolve(undefined)]) {
    await refused("env.Y", { env: { X: "x", Y: nothing } }, "null or undefined");
    await refused("secrets.TOKEN", { secrets: { TOKEN: nothing, OTHER: "other-secret" } }, "null or undefined");
  }
  const later = pulumi.output({ TOKEN: undefined });
  await refused("secrets.TOKEN", { secrets: later }, "null or undefined");
  await refused("timeouts.create", { timeouts: { create: null } });
  await refused("sourceConfig.buildOnPush", { sourceConfig: { buildOnPush: null } });
  await refused("sourceConfig.resourceSpec.cpu", { sourceConfig: { resourceSpec: { cpu: null } } });
  await refused("sourceRevisionConfig.repoRef", { sourceRevisionConfig: { repoRef: null } });
  const noConfig = () => new Deployment("agent", { name: "a", source: "github", sourceConfig: null as never });
  expect(summary(await ground.engine.up(noConfig))).toEqual([
    "create: sourceConfig is null. Leave it out, or give it a value.",
  ]);
  const provider = new Provider({ region: null } as unknown as ProviderArgs);
  expect(summary(await ground.engine.up(program({}, { provider })))).toEqual([
    "create: connection.region: connection.region is null. Leave it out, or give it a value.",
  ]);
  expect(summary(await ground.engine.up(program({ triggers: { prompt: null } })))).toEqual(["create"]);
});

test("a declaration with only a name is refused, with the fields that determine its source", async () => {
  await using ground = await startGround();
  const nameOnly = () => new Deployment("agent", { name: "a" });
  expect(summary(await ground.engine.up(nameOnly))).toEqual([
    "create: source is required. It follows from sourceConfig.repoUrl (a repository) or sourceRevisionConfig.imageUri (an image): declare one of them.",
  ]);
});

test("requests, creates included, wait as long as a 429 says", async () => {
  const clock = new FakeClock();
  await using server = await startScriptedServer(({ method, nth }) => {
    if (nth === 1) return { body: { resources: [], offset: 0 } };
    if (nth === 2) return { status: 429, body: { detail: "Too many requests." }, headers: { "retry-after": "17" } };
    return method === "POST" ? { status: 201, body: deployment() } : { body: deployment() };
  });
  const client = new ControlPlane({ baseUrl: server.url, apiKey: "key-1", clock, random: () => 0.5 });
  const { origin } = await reconcile(client, declaration()).started;
  expect(origin).toBe("created");
  expect(clock.sleeps[0]).toBeGreaterThanOrEqual(17_000);
  expect(server.calls()).toEqual(["GET /v2/deployments", "POST /v2/deployments", "POST /v2/deployments"]);
});

test("a control plane that responds with 500 for a minute is outlasted, and nothing is created twice", async () => {
  const clock = new FakeClock();
  const endsAt = clock.now() + 60_000;
  let made = 0;
  await using server = await startScriptedServer(({ method }) => {
    if (clock.now() < endsAt) return { status: 500, body: { detail: "Internal Server Error" } };
    if (method === "POST") made += 1;
    if (method === "POST") return { status: 201, body: deployment() };
    return { body: { resources: [], offset: 0 } };
  });
  const client = new ControlPlane({ baseUrl: server.url, apiKey: "key-1", clock, random: () => 0.5 });
  await reconcile(client, declaration()).started;
  expect(made).toBe(1);
  expect(clock.now()).toBeGreaterThanOrEqual(endsAt);
});

test("a control plane that keeps failing is an error with its response", async () => {
  const clock = new FakeClock();
  await using server = await startScriptedServer(() => ({ status: 503, body: { detail: "Down for maintenance." } }));
  const client = new ControlPlane({ baseUrl: server.url, apiKey: "key-1", clock, random: () => 0.5 });
  await expect(reconcile(client, declaration()).started).rejects.toThrow(
    "GET /v2/deployments responded with 503: Down for maintenance. The control plane failed; try again later.",
  );
});
