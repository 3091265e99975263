import { expect, test } from "vitest";
import { rollBack } from "../../../action/rollback.ts";
import type { Session } from "../../../action/session.ts";
import { ControlPlane } from "../../../core/client/client.ts";
import { startMockServer } from "../../../mock-server/server.ts";
import { apiKey, makeDeployment, ownedBy, writesOf } from "../../kit/github/agents.ts";

test.each([
  ["acme/other#deploy", [], "The deployment is owned by acme/other#deploy now, so nothing was rolled back."],
  ["Acme/Agents#deploy", ["POST /v2/deployments/…/revisions/…/redeploy 200"], "Rolled back"],
])("a deployment that is marked as %s by then is rolled back by its owner alone", async (marker, writes, warning) => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  const { id, latest_revision_id: live } = await makeDeployment(mock, ownedBy(marker));
  const client = new ControlPlane({ baseUrl: mock.url, apiKey });
  const warnings: string[] = [];
  mock.transitions.set({ rules: [{ name: "*", fail: "DEPLOY_FAILED", times: 1 }] });
  const { latest_revision_id: failed } = await client.revisions.redeploy(id, live);
  const before = writesOf(mock).length;
  await rollBack(
    {
      client,
      console: { info: () => {}, warning: (message: string) => warnings.push(message) },
      inputs: { timeoutMs: 60_000 },
      report: { deploymentId: id, revisionId: failed },
      signal: new AbortController().signal,
    } as unknown as Session,
    "acme/agents#deploy",
  );
  expect(writesOf(mock).slice(before)).toEqual(writes);
  expect(warnings.join()).toContain(warning);
});
