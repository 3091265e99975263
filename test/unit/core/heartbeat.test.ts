import { expect, test } from "vitest";
import { ControlPlane } from "../../../core/client/client.ts";
import { deleteDeployment } from "../../../core/reconcile/apply.ts";
import { ensureExists } from "../../../core/reconcile/create.ts";
import { findPushedRevision } from "../../../core/reconcile/update.ts";
import { followRollout } from "../../../core/rollout/follow.ts";
import type { OnProgress, ProgressEvent } from "../../../core/rollout/waiting.ts";
import { declaration, deployment, deploymentId, gone, revision, revisionId } from "../../kit/deployments.ts";
import { FakeClock } from "../../kit/fake-clock.ts";
import { type ScriptedRequest, type ScriptedResponse, startScriptedServer } from "../../kit/scripted-server.ts";

interface Wait {
  events: ProgressEvent[];
  /** The duration of the whole wait, in seconds. */
  seconds: number;
  /** The longest time without an event, in seconds. */
  silence: number;
}

/** Waits on a fake clock for a server whose responses depend on the seconds since the start. */
async function wait(
  respond: (seconds: number, request: ScriptedRequest) => ScriptedResponse | "reset",
  start: (client: ControlPlane, onProgress: OnProgress) => Promise<unknown>,
): Promise<Wait> {
  const clock = new FakeClock();
  const startedAt = clock.now();
  const seconds = () => (clock.now() - startedAt) / 1_000;
  await using server = await startScriptedServer((request) => respond(seconds(), request));
  const client = new ControlPlane({ baseUrl: server.url, apiKey: "key-of-the-test", clock, random: () => 0.5 });
  const events: ProgressEvent[] = [];
  const times = [0];
  await start(client, (event) => {
    events.push(event);
    times.push(seconds());
  });
  times.push(seconds());
  const silence = Math.max(...times.slice(1).map((time, index) => time - (times[index] ?? 0)));
  return { events, seconds: seconds(), silence };
}

const follow = (client: ControlPlane, onProgress: OnProgress) =>
  followRollout(client, { deploymentId, revisionId, onProgress }).catch(() => {});

const isOfRevision = ({ path }: ScriptedRequest) => path.endsWith(revisionId);

test("a long build has a heartbeat every 30 s, however rarely it is polled", async () => {
  const { events, seconds, silence } = await wait(
    (now, request) => ({
      body: isOfRevision(request) ? revision({ status: now < 1_500 ? "BUILDING" : "DEPLOYED" }) : deployment(),
    }),
    follow,
  );
  expect(seconds).toBeGreaterThan(1_500);
  expect(silence).toBeLessThanOrEqual(30);
  expect(events).toContainEqual({ type: "heartbeat", revisionId, status: "BUILDING", elapsedMs: 300_000 });
});

test("a rate limit during a build doesn't stop the heartbeat", async () => {
  const { events, seconds, silence } = await wait((now, request) => {
    if (now > 60 && now < 400) return { status: 429, body: { detail: "slow" }, headers: { "retry-after": "110" } };
    return { body: isOfRevision(request) ? revision({ status: now < 60 ? "BUILDING" : "DEPLOYED" }) : deployment() };
  }, follow);
  expect(seconds).toBeGreaterThan(400);
  expect(silence).toBeLessThanOrEqual(30);
  expect(events.filter(({ type }) => type === "heartbeat").length).toBeGreaterThan(10);
});

test("a wait for the traffic switch has a heartbeat", async () => {
  const { events, seconds, silence } = await wait(
    (_now, request) => ({
      body: isOfRevision(request) ? revision({ status: "DEPLOYED" }) : deployment({ active_revision_id: null }),
    }),
    follow,
  );
  expect(seconds).toBeGreaterThanOrEqual(60);
  expect(silence).toBeLessThanOrEqual(30);
  expect(events).toContainEqual({ type: "heartbeat", revisionId, status: "DEPLOYED", elapsedMs: 30_000 });
});

test("a long deletion has a heartbeat, even during an outage", async () => {
  const { events, seconds, silence } = await wait(
    (now, { method }) => {
      if (method === "DELETE") return { status: 204 };
      if (now > 100 && now < 300) return { status: 503 };
      return now < 500 ? { body: deployment({ status: "AWAITING_DELETE" }) } : gone(deploymentId);
    },
    (client, onProgress) => deleteDeployment(client, deploymentId, { onProgress }),
  );
  expect(seconds).toBeGreaterThan(500);
  expect(silence).toBeLessThanOrEqual(30);
  expect(new Set(events.map(({ type }) => type))).toEqual(new Set(["deleting"]));
});

test("a wait for a free name has a heartbeat", async () => {
  const ending = deployment({ status: "AWAITING_DELETE" });
  const { seconds, silence } = await wait(
    (now, { method, path }) => {
      if (method === "POST") return { status: 201, body: deployment() };
      if (path.endsWith(deploymentId)) return now < 200 ? { body: ending } : gone(deploymentId);
      return { body: { resources: now < 200 ? [ending] : [], offset: 1 } };
    },
    (client, onProgress) => ensureExists(client, declaration({ name: ending.name }), { onProgress }),
  );
  expect(seconds).toBeGreaterThan(200);
  expect(silence).toBeLessThanOrEqual(30);
});

test("a wait for the platform's own build of a push has a heartbeat", async () => {
  const commit = "c".repeat(40);
  const { events, seconds, silence } = await wait(
    () => ({ body: { resources: [], offset: 0 } }),
    (client, onProgress) => findPushedRevision(client, { deploymentId, commit, onProgress }),
  );
  expect(seconds).toBeGreaterThanOrEqual(120);
  expect(silence).toBeLessThanOrEqual(30);
  const message = `Waiting for the platform's own build of commit ${commit}.`;
  expect(events).toContainEqual({ type: "note", message });
  expect(events).toContainEqual({ type: "waiting", message, elapsedMs: 60_000 });
});

test("a wait that ended reports nothing else", async () => {
  const clock = new FakeClock();
  await using server = await startScriptedServer((request) => ({
    body: isOfRevision(request) ? revision({ status: "DEPLOYED" }) : deployment(),
  }));
  const client = new ControlPlane({ baseUrl: server.url, apiKey: "key-of-the-test", clock });
  const events: ProgressEvent[] = [];
  await followRollout(client, { deploymentId, revisionId, onProgress: (event) => events.push(event) });
  clock.advance(600_000);
  expect(events.map(({ type }) => type)).toEqual(["revision", "status"]);
});
