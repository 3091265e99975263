import { expect, test } from "vitest";
import { ControlPlane } from "../../../core/client/client.ts";
import { Aborted } from "../../../core/client/errors.ts";
import { reconcile } from "../../../core/reconcile/reconcile.ts";
import { declaration, deployment, deploymentId } from "../../kit/deployments.ts";
import { startScriptedServer } from "../../kit/scripted-server.ts";

test("an abort during a create request waits for the response, so that the id is known", async () => {
  const controller = new AbortController();
  await using server = await startScriptedServer(async ({ method }) => {
    if (method === "GET") return { body: { resources: [], offset: 0 } };
    controller.abort();
    await new Promise((resolve) => setImmediate(resolve));
    return { status: 201, body: deployment() };
  });
  const client = new ControlPlane({ baseUrl: server.url, apiKey: "key-1" });
  const run = reconcile(client, declaration(), { signal: controller.signal });
  expect(await run.deployment).toMatchObject({ deployment: { id: deploymentId } });
  await expect(run.live()).rejects.toBeInstanceOf(Aborted);
});
