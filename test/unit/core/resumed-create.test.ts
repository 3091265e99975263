import { expect, test } from "vitest";
import { ControlPlane } from "../../../core/client/client.ts";
import { ensureExists } from "../../../core/reconcile/create.ts";
import { reconcile } from "../../../core/reconcile/reconcile.ts";
import { startMockServer } from "../../../mock-server/server.ts";
import { declaration } from "../../kit/deployments.ts";

const owner = "pulumi#urn:pulumi:dev::agents::type::agent";
const claim = { owner, generation: "0123456789ab" };

async function ground(transitions: "immediate" | "manual") {
  const mock = await startMockServer({ port: 0, transitions });
  const client = new ControlPlane({ baseUrl: mock.url, apiKey: "any-key" });
  const { deployment } = await ensureExists(client, declaration(), { claim: { owner } });
  return { mock, client, deployment };
}

test("a deployment with our marker that isn't live is an interrupted create, and gets no second revision", async () => {
  const { mock, client, deployment } = await ground("manual");
  await using _ = mock;
  const resumed = await reconcile(client, declaration(), { claim }).started;
  expect(resumed).toMatchObject({
    origin: "resumed",
    marker: owner,
    deployment: { id: deployment.id },
    revisionId: deployment.latest_revision_id,
  });
});

test("a live deployment with our marker is never an interrupted create: it is kept, with a new generation", async () => {
  const { mock, client, deployment } = await ground("immediate");
  await using _ = mock;
  const kept = await reconcile(client, declaration(), { claim }).started;
  expect(kept).toMatchObject({
    origin: "kept",
    marker: `${owner}#g-0123456789ab`,
    deployment: { id: deployment.id },
  });
  expect(kept.revisionId).not.toBe(deployment.latest_revision_id);
});

test("a deployment with our marker from another repository is refused and stays unchanged", async () => {
  const { mock, client, deployment } = await ground("immediate");
  await using _ = mock;
  const desired = declaration({
    sourceConfig: { ...declaration().sourceConfig, repoUrl: "https://github.com/acme/other" },
  });
  await expect(reconcile(client, desired, { claim }).started).rejects.toThrow("can't become the declared one");
  expect((await client.deployments.get(deployment.id)).latest_revision_id).toBe(deployment.latest_revision_id);
});
