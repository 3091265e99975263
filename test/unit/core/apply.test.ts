import { expect, test } from "vitest";
import { ControlPlane } from "../../../core/client/client.ts";
import { ConfigError, ResponseError, ServerError } from "../../../core/client/errors.ts";
import type { Deployment } from "../../../core/client/wire/deployments.ts";
import { applyUpdate } from "../../../core/reconcile/apply.ts";
import type { ProgressEvent } from "../../../core/rollout/waiting.ts";
import { declaration, deployment, deploymentId, laterRevisionId } from "../../kit/deployments.ts";
import { FakeClock } from "../../kit/fake-clock.ts";
import { type ScriptedServer, startScriptedServer } from "../../kit/scripted-server.ts";

function clientOf(server: ScriptedServer): ControlPlane {
  return new ControlPlane({ baseUrl: server.url, apiKey: "key-of-the-test", clock: new FakeClock(), random: () => 0 });
}

const toDevelop = declaration({ sourceRevisionConfig: { repoRef: "develop", graphConfigPath: "graph.json" } });
const developed = deployment({
  source_revision_config: { repo_ref: "develop", graph_config_path: "graph.json" },
  latest_revision_id: laterRevisionId,
});
const patches = (server: ScriptedServer) => server.requests.filter(({ method }) => method === "PATCH");

test("no difference, no request", async () => {
  await using server = await startScriptedServer(() => ({ status: 500 }));
  const { plan, revisionId } = await applyUpdate(clientOf(server), declaration(), deployment());
  expect(plan.action).toBe("nothing");
  expect(revisionId).toBeUndefined();
  expect(server.requests).toEqual([]);
});

test("one PATCH carries the difference and nothing else", async () => {
  await using server = await startScriptedServer(() => ({ body: developed }));
  const { revisionId } = await applyUpdate(clientOf(server), toDevelop, deployment());
  expect(patches(server).map(({ body }) => body)).toEqual([{ source_revision_config: { repo_ref: "develop" } }]);
  expect(revisionId).toBe(laterRevisionId);
});

test("a change in place makes no revision to wait for", async () => {
  await using server = await startScriptedServer(() => ({ body: deployment({ display_name: "Bot" }) }));
  const { revisionId } = await applyUpdate(clientOf(server), declaration({ displayName: "Bot" }), deployment());
  expect(patches(server).map(({ body }) => body)).toEqual([{ display_name: "Bot" }]);
  expect(revisionId).toBeUndefined();
});

test("a change with an unknown outcome that took effect is not retried", async () => {
  await using server = await startScriptedServer(({ method }) => (method === "PATCH" ? "reset" : { body: developed }));
  const { revisionId } = await applyUpdate(clientOf(server), toDevelop, deployment());
  expect(patches(server)).toHaveLength(1);
  expect(revisionId).toBe(laterRevisionId);
});

test("a change with an unknown outcome that had no effect is retried", async () => {
  let patched = 0;
  await using server = await startScriptedServer(({ method }) => {
    if (method !== "PATCH") return { body: deployment() };
    patched += 1;
    return patched === 1 ? { status: 502 } : { body: developed };
  });
  const { revisionId } = await applyUpdate(clientOf(server), toDevelop, deployment());
  expect(patches(server)).toHaveLength(2);
  expect(revisionId).toBe(laterRevisionId);
});

test("a change of hidden secrets with an unknown outcome counts as applied once there is a new revision", async () => {
  const masked = [{ name: "TOKEN", value: "*****" }];
  await using server = await startScriptedServer(({ method }) =>
    method === "PATCH" ? "reset" : { body: deployment({ secrets: masked, latest_revision_id: laterRevisionId }) },
  );
  const options = { previous: declaration({ secrets: { TOKEN: "old-value" } }) };
  const desired = declaration({ secrets: { TOKEN: "new-value" } });
  await applyUpdate(clientOf(server), desired, deployment({ secrets: masked }), options);
  expect(patches(server)).toHaveLength(1);
});

test("a redeployment with an unknown outcome is not retried when there is a new revision", async () => {
  await using server = await startScriptedServer(({ method }) =>
    method === "PATCH" ? { status: 504 } : { body: deployment({ latest_revision_id: laterRevisionId }) },
  );
  const { revisionId } = await applyUpdate(clientOf(server), declaration(), deployment(), { redeploy: "requested" });
  expect(patches(server).map(({ body }) => body)).toEqual([{ source_revision_config: { repo_ref: "main" } }]);
  expect(revisionId).toBe(laterRevisionId);
});

test("a change that never gets a response is reported once, and the attempts at the end", async () => {
  await using server = await startScriptedServer(({ method }) =>
    method === "PATCH" ? { status: 500, body: { detail: "broken" } } : { body: deployment() },
  );
  const events: ProgressEvent[] = [];
  const options = { onProgress: (event: ProgressEvent) => events.push(event) };
  await expect(applyUpdate(clientOf(server), toDevelop, deployment(), options)).rejects.toBeInstanceOf(ServerError);
  expect(patches(server)).toHaveLength(6);
  expect(events.map((event) => "message" in event && event.message)).toEqual([
    expect.stringContaining("checking whether it took effect"),
    expect.stringContaining("was sent 6 times without a response"),
  ]);
});

test("the new revision is looked up when the response doesn't have it yet", async () => {
  const late = { ...developed, latest_revision_id: deployment().latest_revision_id };
  let reads = 0;
  await using server = await startScriptedServer(({ method }) => {
    if (method === "GET") reads += 1;
    return { body: reads < 2 ? late : developed };
  });
  const { revisionId } = await applyUpdate(clientOf(server), toDevelop, deployment());
  expect(revisionId).toBe(laterRevisionId);
  expect(patches(server)).toHaveLength(1);
});

test("a platform that makes no revision is an error", async () => {
  const unchanged: Deployment = { ...developed, latest_revision_id: deployment().latest_revision_id };
  await using server = await startScriptedServer(() => ({ body: unchanged }));
  await expect(applyUpdate(clientOf(server), toDevelop, deployment())).rejects.toBeInstanceOf(ResponseError);
});

test("a field that can't change is refused with both values, and nothing is sent", async () => {
  await using server = await startScriptedServer(() => ({ status: 500 }));
  const other = declaration({ sourceConfig: { repoUrl: "https://github.com/acme/other" } });
  const refusal = applyUpdate(clientOf(server), other, deployment());
  await expect(refusal).rejects.toBeInstanceOf(ConfigError);
  await expect(refusal).rejects.toMatchObject({ path: "sourceConfig.repoUrl" });
  await expect(refusal).rejects.toThrow(
    /"https:\/\/github.com\/acme\/bot" there and "https:\/\/github.com\/acme\/other" here/,
  );
  expect(server.requests).toEqual([]);
});

test("environment names that the change drops are listed, without values", async () => {
  const secrets = [
    { name: "OLD", value: "old-value" },
    { name: "KEPT", value: "kept" },
  ];
  const events: ProgressEvent[] = [];
  await using server = await startScriptedServer(() => ({ body: deployment({ latest_revision_id: laterRevisionId }) }));
  const desired = declaration({ env: { KEPT: "kept" } });
  await applyUpdate(clientOf(server), desired, deployment({ secrets }), {
    droppable: ["OLD"],
    onProgress: (event) => events.push(event),
  });
  expect(events).toEqual([
    { type: "warning", message: "No longer declared, so dropped from the environment of support-bot: OLD." },
  ]);
  expect(server.calls()).toEqual([`PATCH /v2/deployments/${deploymentId}`]);
});
