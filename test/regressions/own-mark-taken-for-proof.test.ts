import { expect, test } from "vitest";
import { ControlPlane } from "../../core/client.ts";
import { ensureExists } from "../../core/creation.ts";
import { startMockServer } from "../../mock-server/server.ts";
import { declaration } from "../support/deployments.ts";

const managedBy = "pulumi#urn:pulumi:dev::agents::type::agent";
const day = 86_400_000;

async function ground() {
  const mock = await startMockServer({ port: 0, transitions: "immediate" });
  const client = (aheadMs = 0) =>
    new ControlPlane({
      baseUrl: mock.url,
      apiKey: "any-key",
      clock: { now: () => Date.now() + aheadMs, sleep: async () => {} },
    });
  const { deployment } = await ensureExists(client(), declaration(), { managedBy });
  return { mock, client, deployment };
}

test("a deployment with the own mark that was made lately and never changed is an interrupted creation", async () => {
  const { mock, client, deployment } = await ground();
  await using _ = mock;
  const resumed = await ensureExists(client(), declaration(), { managedBy });
  expect(resumed).toMatchObject({ created: false, deployment: { id: deployment.id } });
});

test.each<[string, { aheadMs?: number; repoUrl?: string; revise?: boolean }]>([
  ["was made more than a day ago", { aheadMs: day + 60_000 }],
  ["has been changed since", { revise: true }],
  ["is made from another repository", { repoUrl: "https://github.com/acme/other" }],
])(
  "a deployment with the own mark that %s is somebody's, and needs adopt",
  async (_name, { aheadMs, repoUrl, revise }) => {
    const { mock, client, deployment } = await ground();
    await using _ = mock;
    if (revise === true) {
      const patch = { source_revision_config: { repo_ref: "next" } };
      await client().patchDeployment(deployment.id, patch, { makesRevision: true });
    }
    const desired = declaration(
      repoUrl === undefined ? {} : { sourceConfig: { ...declaration().sourceConfig, repoUrl } },
    );
    await expect(ensureExists(client(aheadMs), desired, { managedBy })).rejects.toThrow(
      /is in use by deployment .*`adopt`/,
    );
  },
);
