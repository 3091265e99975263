import { expect, test } from "vitest";
import { ControlPlane } from "../../../core/client/client.ts";
import { ResponseError } from "../../../core/client/errors.ts";
import { waitUntilGone } from "../../../core/reconcile/apply.ts";
import { reconcile } from "../../../core/reconcile/reconcile.ts";
import { findPushedRevision } from "../../../core/reconcile/update.ts";
import { followRollout } from "../../../core/rollout/follow.ts";
import type { ProgressEvent } from "../../../core/rollout/waiting.ts";
import { declaration, deployment, deploymentId, gone, revision, revisionId } from "../../kit/deployments.ts";
import { FakeClock } from "../../kit/fake-clock.ts";
import { type ScriptedResponse, startScriptedServer } from "../../kit/scripted-server.ts";

// An intermediary in front of a control plane under maintenance may respond with 200 and its own page, or redirect to
// one.

const intermediaryResponses: [string, ScriptedResponse][] = [
  ["a web page with status 200", { body: "<html>Back soon</html>", headers: { "content-type": "text/html" } }],
  ["a redirect to a page of maintenance", { status: 302, headers: { location: "/maintenance" } }],
  ["a gateway's 404", { status: 404, body: "default backend - 404" }],
];

async function controlPlane(respond: (nth: number, path: string) => ScriptedResponse) {
  const server = await startScriptedServer(({ nth, path }) => respond(nth, path));
  const clock = new FakeClock();
  const client = new ControlPlane({ baseUrl: server.url, apiKey: "key-of-a-regression-test", clock });
  return { client, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

test.each(intermediaryResponses)(
  "%s in the middle of a rollout is outlasted and reported",
  async (_, intermediaryResponse) => {
    await using platform = await controlPlane((nth, path) => {
      if (nth > 1 && nth < 40) return intermediaryResponse;
      if (path.endsWith(revisionId)) return { body: revision({ status: nth === 1 ? "BUILDING" : "DEPLOYED" }) };
      return { body: deployment() };
    });
    const events: ProgressEvent[] = [];
    const onProgress = (event: ProgressEvent) => events.push(event);
    const live = await followRollout(platform.client, { deploymentId, revisionId, onProgress });
    expect(live.revision.status).toBe("DEPLOYED");
    expect(events).toContainEqual({ type: "warning", message: expect.stringContaining("still waiting. GET ") });
  },
);

test.each(intermediaryResponses)(
  "%s at the first read of a known deployment's revision is outlasted",
  async (_, intermediaryResponse) => {
    await using platform = await controlPlane((nth, path) => {
      if (nth > 1 && nth < 40) return intermediaryResponse;
      return { body: path.endsWith(revisionId) ? revision() : deployment() };
    });
    await platform.client.deployments.get(deploymentId);
    await expect(followRollout(platform.client, { deploymentId, revisionId })).resolves.toMatchObject({
      revision: { status: "DEPLOYED" },
    });
  },
);

test("a web page at the first reads after a create loses neither the deployment's id nor its revision", async () => {
  const server = await startScriptedServer(({ method, nth, path }) => {
    if (method === "POST") return { status: 201, body: { id: deploymentId } };
    if (nth > 2 && nth < 8) return { body: "<html>Back soon</html>", headers: { "content-type": "text/html" } };
    return { body: path === "/v2/deployments" ? { resources: [], offset: 0 } : deployment() };
  });
  await using _ = server;
  const client = new ControlPlane({ baseUrl: server.url, apiKey: "key-of-a-regression-test", clock: new FakeClock() });
  await expect(reconcile(client, declaration()).started).resolves.toMatchObject({
    origin: "created",
    revisionId,
  });
  expect(server.calls().filter((call) => call.startsWith("POST"))).toHaveLength(1);
});

test.each(intermediaryResponses)("%s at the beginning is a wrong address", async (_, intermediaryResponse) => {
  await using platform = await controlPlane(() => intermediaryResponse);
  await expect(followRollout(platform.client, { deploymentId, revisionId })).rejects.toThrow(/base URL/);
});

test.each(intermediaryResponses)("%s doesn't end a deletion or the wait for it", async (_, intermediaryResponse) => {
  await using platform = await controlPlane((nth) => (nth < 10 ? intermediaryResponse : gone(deploymentId)));
  await expect(waitUntilGone(platform.client, deploymentId)).resolves.toBeUndefined();
});

test.each(intermediaryResponses)(
  "%s doesn't hide the platform's own build of a push",
  async (_, intermediaryResponse) => {
    const commit = "c".repeat(40);
    const pushed = revision({ source_revision_config: { repo_commit_sha: commit } });
    await using platform = await controlPlane((nth) =>
      nth < 10 ? intermediaryResponse : { body: { resources: [pushed], offset: 1 } },
    );
    await expect(findPushedRevision(platform.client, { deploymentId, commit })).resolves.toMatchObject({
      id: pushed.id,
    });
  },
);

test("an outage for the whole wait for a push is an error, not a reason to build again", async () => {
  await using platform = await controlPlane(() => ({ body: "<html></html>" }));
  const search = findPushedRevision(platform.client, { deploymentId, commit: "c".repeat(40) });
  await expect(search).rejects.toThrow(ResponseError);
});
