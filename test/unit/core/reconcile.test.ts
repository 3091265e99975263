import { expect, test } from "vitest";
import { ControlPlane } from "../../../core/client/client.ts";
import { NotFoundError, TimeoutError } from "../../../core/client/errors.ts";
import type { Deployment } from "../../../core/client/wire/deployments.ts";
import type { Revision } from "../../../core/client/wire/revisions.ts";
import { deleteDeployment } from "../../../core/reconcile/apply.ts";
import { observeDeployment, reconcile } from "../../../core/reconcile/reconcile.ts";
import { findPushedRevision } from "../../../core/reconcile/update.ts";
import { startMockServer } from "../../../mock-server/server.ts";
import {
  declaration,
  deployment,
  deploymentId,
  gone,
  laterRevisionId,
  revision,
  revisionId,
} from "../../kit/deployments.ts";
import { FakeClock } from "../../kit/fake-clock.ts";
import { type ScriptedResponse, type ScriptedServer, startScriptedServer } from "../../kit/scripted-server.ts";

function clientOf(url: string, clock = new FakeClock()): ControlPlane {
  return new ControlPlane({ baseUrl: url, apiKey: "key-of-the-test", workspaceId: "w", clock, random: () => 0 });
}

/** A deployment with its latest revision; a PATCH makes a new one. */
async function platform(
  latest: Partial<Revision> | ScriptedResponse,
  changes: Partial<Deployment> = {},
): Promise<ScriptedServer> {
  return startScriptedServer(({ method, path }) => {
    if (method === "PATCH") return { body: deployment({ ...changes, latest_revision_id: laterRevisionId }) };
    if (!path.includes("/revisions")) return { body: deployment(changes) };
    const response: ScriptedResponse =
      "body" in latest ? (latest as ScriptedResponse) : { body: revision(latest as Partial<Revision>) };
    return path.endsWith("/revisions") ? { body: { resources: [response.body], offset: 1 } } : response;
  });
}

const patches = (server: ScriptedServer) =>
  server.requests.filter(({ method }) => method === "PATCH").map(({ body }) => body);

test("a deployment is created, changed and deleted on a real server", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  const client = clientOf(mock.url);
  const desired = declaration({ displayName: "Bot", secrets: { TOKEN: "first-value" } });
  const creation = reconcile(client, desired);
  const { id } = (await creation.deployment).deployment;
  const created = await creation.started;
  expect((await creation.live()).deployment).toMatchObject({ id, display_name: "Bot" });
  const next = { ...desired, secrets: { TOKEN: "second-value" } };
  const change = reconcile(client, next, { id, previous: desired });
  const changed = await change.started;
  expect((await change.live()).revision?.id).toBe(changed.revisionId);
  expect(changed.revisionId).not.toBe(created.revisionId);
  expect(await reconcile(client, next, { id, previous: next }).live()).toMatchObject({
    revision: { id: changed.revisionId },
    rollout: undefined,
  });
  await deleteDeployment(client, id);
  await expect(observeDeployment(client, id)).rejects.toBeInstanceOf(NotFoundError);
  expect(mock.requests({ method: "PATCH" })).toHaveLength(2);
});

test("an image is created on the self-hosted edition", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  const client = clientOf(mock.selfHostedUrl);
  const desired = { name: "image", source: "external_docker", sourceRevisionConfig: { imageUri: "registry/bot:1" } };
  const { deployment, revision: first } = await reconcile(client, desired).live();
  const changed = { ...desired, sourceRevisionConfig: { imageUri: "registry/bot:2" } };
  const { revision: second } = await reconcile(client, changed, { id: deployment.id }).live();
  expect(first?.source_revision_config.image_uri).toBe("registry/bot:1");
  expect(second?.source_revision_config.image_uri).toBe("registry/bot:2");
});

test("a creation waits for a revision that the platform names late", async () => {
  let looks = 0;
  await using server = await startScriptedServer(({ method, path }) => {
    if (path === "/v2/deployments" && method === "GET") return { body: { resources: [], offset: 0 } };
    const isNamed = method === "GET" && ++looks > 2;
    const body = deployment({ latest_revision_id: isNamed ? revisionId : null, active_revision_id: null });
    return method === "POST" ? { status: 201, body } : { body };
  });
  const created = await reconcile(clientOf(server.url), declaration()).started;
  expect(created.revisionId).toBe(revisionId);
});

test("a deployment that was created without a revision isn't live", async () => {
  await using server = await startScriptedServer(({ method, path }) => {
    if (path === "/v2/deployments" && method === "GET") return { body: { resources: [], offset: 0 } };
    const body = deployment({ latest_revision_id: null, active_revision_id: null });
    return method === "POST" ? { status: 201, body } : { body };
  });
  const creation = reconcile(clientOf(server.url), declaration());
  await expect(creation.live()).rejects.toThrow("was created, but the platform made no revision of it");
  expect(await creation.deployment).toMatchObject({ deployment: { id: deploymentId } });
});

test("a deployment without any revision is rolled out", async () => {
  await using server = await platform({}, { latest_revision_id: null, active_revision_id: null });
  expect((await reconcile(clientOf(server.url), declaration(), { id: deploymentId }).started).revisionId).toBe(
    laterRevisionId,
  );
  expect(patches(server)).toEqual([{ source_revision_config: { repo_ref: "main" } }]);
});

test("a live deployment needs no wait", async () => {
  await using server = await platform({});
  expect(
    (await reconcile(clientOf(server.url), declaration(), { id: deploymentId }).started).revisionId,
  ).toBeUndefined();
  expect(patches(server)).toEqual([]);
});

test("an unfinished rollout is followed instead of starting another", async () => {
  await using server = await platform({ status: "BUILDING" });
  expect((await reconcile(clientOf(server.url), declaration(), { id: deploymentId }).started).revisionId).toBe(
    revisionId,
  );
  expect(patches(server)).toEqual([]);
});

test.each(["BUILD_FAILED", "SKIPPED", "INTERRUPTED"])(
  "a latest revision that ended as %s is rolled out again",
  async (status) => {
    await using server = await platform({ status });
    expect((await reconcile(clientOf(server.url), declaration(), { id: deploymentId }).started).revisionId).toBe(
      laterRevisionId,
    );
    expect(patches(server)).toEqual([{ source_revision_config: { repo_ref: "main" } }]);
  },
);

test("a revision that the control plane doesn't find is rolled out again", async () => {
  await using server = await platform(gone(revisionId));
  expect((await reconcile(clientOf(server.url), declaration(), { id: deploymentId }).started).revisionId).toBe(
    laterRevisionId,
  );
});

test("a gateway's 404 for the revision starts nothing", async () => {
  await using server = await platform({ status: 404, body: "default backend - 404" } as ScriptedResponse);
  await expect(reconcile(clientOf(server.url), declaration(), { id: deploymentId }).started).rejects.toBeInstanceOf(
    NotFoundError,
  );
  expect(patches(server)).toEqual([]);
});

test("a pushed commit that is the latest revision already is not built twice", async () => {
  await using server = await platform({ source_revision_config: { repo_commit_sha: "c0ffee" } });
  const { revisionId: next } = await reconcile(clientOf(server.url), declaration(), {
    id: deploymentId,
    pushedCommit: "c0ffee",
  }).started;
  expect(next).toBeUndefined();
  expect(patches(server)).toEqual([]);
});

test("a pushed commit without build_on_push is rolled out by the client", async () => {
  await using server = await platform({});
  const { revisionId: next } = await reconcile(clientOf(server.url), declaration(), {
    id: deploymentId,
    pushedCommit: "c0ffee",
  }).started;
  expect(next).toBe(laterRevisionId);
  expect(patches(server)).toEqual([{ source_revision_config: { repo_ref: "main" } }]);
});

test("with build_on_push, the wait is for the platform's own revision of the commit", async () => {
  const clock = new FakeClock();
  const startedAt = clock.now();
  const buildOnPush = deployment({ source_config: { ...deployment().source_config, build_on_push: true } });
  await using server = await startScriptedServer(({ path }) => {
    if (!path.includes("/revisions")) return { body: buildOnPush };
    if (!path.endsWith("/revisions")) return { body: revision() };
    const pushed = revision({ id: laterRevisionId, source_revision_config: { repo_commit_sha: "c0ffee" } });
    const resources = clock.now() - startedAt > 30_000 ? [pushed, revision()] : [revision()];
    return { body: { resources, offset: resources.length } };
  });
  const { revisionId: next } = await reconcile(clientOf(server.url, clock), declaration(), {
    id: deploymentId,
    pushedCommit: "c0ffee",
  }).started;
  expect(next).toBe(laterRevisionId);
  expect(patches(server)).toEqual([]);
});

test("with build_on_push and no revision of the commit after 120 seconds, one is made", async () => {
  const clock = new FakeClock();
  const startedAt = clock.now();
  await using server = await platform({}, { source_config: { ...deployment().source_config, build_on_push: true } });
  const { revisionId: next } = await reconcile(clientOf(server.url, clock), declaration(), {
    id: deploymentId,
    pushedCommit: "c0ffee",
  }).started;
  expect(next).toBe(laterRevisionId);
  expect(clock.now() - startedAt).toBe(120_000);
});

test("a pushed revision is looked for among the newest only", async () => {
  const old = revision({ id: "old", source_revision_config: { repo_commit_sha: "c0ffee" } });
  const newer = Array.from({ length: 20 }, (_, index) => revision({ id: `newer-${index}` }));
  await using server = await startScriptedServer(() => ({ body: { resources: [...newer, old], offset: 21 } }));
  const options = { deploymentId, commit: "c0ffee", graceMs: 1_000 };
  expect(await findPushedRevision(clientOf(server.url), options)).toBeUndefined();
});

test("a deletion ends when the control plane says that the id is gone", async () => {
  let reads = 0;
  await using server = await startScriptedServer(({ method }) => {
    if (method === "DELETE") return { status: 204 };
    reads += 1;
    return reads < 3 ? { body: deployment({ status: "AWAITING_DELETE" }) } : gone(deploymentId);
  });
  await deleteDeployment(clientOf(server.url), deploymentId);
  expect(server.requests).toHaveLength(4);
});

test("deleting a missing deployment succeeds", async () => {
  await using server = await startScriptedServer(() => gone(deploymentId));
  await deleteDeployment(clientOf(server.url), deploymentId);
  expect(server.calls()).toEqual([`DELETE /v2/deployments/${deploymentId}`]);
});

test.each([
  { name: "another id", body: { detail: "Deployment ID 42 not found" } },
  { name: "a gateway", body: "404 page not found" },
])("a 404 about $name is not a deletion", async ({ body }) => {
  await using server = await startScriptedServer(() => ({ status: 404, body }));
  await expect(deleteDeployment(clientOf(server.url), deploymentId)).rejects.toBeInstanceOf(NotFoundError);
});

test("a deletion outlasts an outage", async () => {
  let reads = 0;
  await using server = await startScriptedServer(({ method }) => {
    if (method === "DELETE") return { status: 204 };
    reads += 1;
    return reads < 40 ? { status: 503 } : gone(deploymentId);
  });
  await deleteDeployment(clientOf(server.url), deploymentId);
});

test("a deletion that doesn't end is a timeout", async () => {
  await using server = await startScriptedServer(({ method }) =>
    method === "DELETE" ? { status: 204 } : { body: deployment({ status: "AWAITING_DELETE" }) },
  );
  const deletion = deleteDeployment(clientOf(server.url), deploymentId, { timeoutMs: 60_000 });
  await expect(deletion).rejects.toBeInstanceOf(TimeoutError);
  await expect(deletion).rejects.toThrow(/still AWAITING_DELETE 1m 00s after/);
});
