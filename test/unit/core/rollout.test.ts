import { expect, test } from "vitest";
import { ControlPlane } from "../../../core/client/client.ts";
import {
  Aborted,
  AuthenticationError,
  GraphDeployError,
  Interrupted,
  RolloutError,
  RolloutTimeout,
  Superseded,
} from "../../../core/client/errors.ts";
import type { Deployment } from "../../../core/client/wire/deployments.ts";
import { followRollout, type RolloutResult } from "../../../core/rollout/follow.ts";
import type { ProgressEvent, RolloutLimits } from "../../../core/rollout/waiting.ts";
import { deployment, deploymentId, gone, laterRevisionId, revision, revisionId } from "../../kit/deployments.ts";
import { FakeClock } from "../../kit/fake-clock.ts";
import { type ScriptedResponse, startScriptedServer } from "../../kit/scripted-server.ts";

interface Platform {
  /**
   * Status by seconds since the start. The last entry that has started applies. A response stands for a failed request.
   */
  course: readonly (readonly [atSeconds: number, status: string | ScriptedResponse | "reset"])[];
  deployment?: (seconds: number) => Deployment | ScriptedResponse;
  logs?: { build?: string[]; deploy?: string[] };
  limits?: Partial<RolloutLimits>;
  /** Aborts at this time. */
  abortAtSeconds?: number;
}

interface Outcome {
  result: RolloutResult | undefined;
  error: unknown;
  events: ProgressEvent[];
  seconds: number;
  calls: string[];
}

/** Follows a scripted rollout on a fake clock. */
async function follow(platform: Platform): Promise<Outcome> {
  const clock = new FakeClock();
  const startedAt = clock.now();
  const seconds = () => (clock.now() - startedAt) / 1_000;
  const controller = new AbortController();
  clock.onSleep = () => {
    if (platform.abortAtSeconds !== undefined && seconds() >= platform.abortAtSeconds) controller.abort();
  };
  const page = (lines: string[] = []) => ({
    body: { logs: lines.map((message, index) => ({ message, timestamp: index })).reverse(), next_offset: null },
  });
  await using server = await startScriptedServer(({ path }) => {
    if (path.endsWith("build_logs")) return page(platform.logs?.build);
    if (path.endsWith("deploy_logs")) return page(platform.logs?.deploy);
    if (path.endsWith(revisionId)) {
      const step = platform.course.findLast(([at]) => at <= seconds())?.[1] ?? "CREATING";
      if (step === "reset" || typeof step === "object") return step;
      return { body: revision({ status: step }) };
    }
    const response = platform.deployment?.(seconds()) ?? deployment();
    return "id" in response ? { body: response } : (response as ScriptedResponse);
  });
  const events: ProgressEvent[] = [];
  const client = new ControlPlane({ baseUrl: server.url, apiKey: "key-of-the-test", clock, random: () => 0.5 });
  const outcome = { result: undefined as RolloutResult | undefined, error: undefined as unknown };
  try {
    outcome.result = await followRollout(client, {
      deploymentId,
      revisionId,
      limits: platform.limits,
      signal: controller.signal,
      onProgress: (event) => events.push(event),
    });
  } catch (error) {
    outcome.error = error;
  }
  return { ...outcome, events, seconds: seconds(), calls: server.calls() };
}

const warnings = (events: ProgressEvent[]) => events.filter((event) => event.type === "warning");

test("a rollout is followed through all its statuses until it is live", async () => {
  const { result, events } = await follow({
    course: [
      [0, "CREATING"],
      [100, "QUEUED"],
      [200, "AWAITING_BUILD"],
      [300, "BUILDING"],
      [900, "AWAITING_DEPLOY"],
      [1_000, "DEPLOYING"],
      [1_200, "DEPLOYED"],
    ],
  });
  const statuses = ["CREATING", "QUEUED", "AWAITING_BUILD", "BUILDING", "AWAITING_DEPLOY", "DEPLOYING", "DEPLOYED"];
  expect(result?.revision.status).toBe("DEPLOYED");
  expect(result?.deployment.active_revision_id).toBe(revisionId);
  expect(result?.spans.map(({ status }) => status)).toEqual(statuses);
  expect(events.filter((event) => event.type === "status").map(({ status }) => status)).toEqual(statuses);
  expect(warnings(events)).toEqual([]);
});

test("spans add up to the time that the rollout took", async () => {
  const { result } = await follow({
    course: [
      [0, "BUILDING"],
      [100, "DEPLOYED"],
    ],
  });
  const sum = result?.spans.reduce((total, { durationMs }) => total + durationMs, 0);
  expect(sum).toBeCloseTo(result?.durationMs ?? -1, 3);
});

test.each(["CREATE_FAILED", "BUILD_FAILED", "DEPLOY_FAILED", "MIGRATION_FAILED_LATE"])(
  "%s is a failure that ends the wait at once",
  async (status) => {
    const { error, seconds } = await follow({ course: [[0, status]] });
    expect(error).toBeInstanceOf(RolloutError);
    expect(error).not.toBeInstanceOf(Superseded);
    expect(error).toMatchObject({ status, revisionId, deploymentId });
    expect(seconds).toBe(0);
  },
);

test("a failed build carries the end of its log, oldest line first", async () => {
  const { error } = await follow({
    course: [[0, "BUILD_FAILED"]],
    logs: { build: ["step 1", "step 2: no such file"] },
  });
  expect((error as RolloutError).logTail.map(({ message }) => message)).toEqual(["step 1", "step 2: no such file"]);
  expect((error as RolloutError).message).toContain("    step 1\n    step 2: no such file\n");
});

test("a failed deploy carries the deploy log", async () => {
  const { error } = await follow({ course: [[0, "DEPLOY_FAILED"]], logs: { build: ["built"], deploy: ["crashed"] } });
  expect((error as RolloutError).logTail.map(({ message }) => message)).toEqual(["crashed"]);
});

test("SKIPPED is superseded by the newer revision", async () => {
  const { error } = await follow({
    course: [
      [0, "BUILDING"],
      [30, "SKIPPED"],
    ],
    deployment: () => deployment({ latest_revision_id: laterRevisionId }),
  });
  expect(error).toBeInstanceOf(Superseded);
  expect(error).toMatchObject({ supersededBy: laterRevisionId, status: "SKIPPED" });
});

test("a transient INTERRUPTED is outlasted with a warning", async () => {
  const { result, events } = await follow({
    course: [
      [0, "BUILDING"],
      [30, "INTERRUPTED"],
      [90, "BUILDING"],
      [150, "DEPLOYED"],
    ],
  });
  expect(result?.revision.status).toBe("DEPLOYED");
  expect(warnings(events)).toHaveLength(1);
});

test("INTERRUPTED for 120 seconds is an outcome of its own", async () => {
  const { error, seconds } = await follow({ course: [[0, "INTERRUPTED"]] });
  expect(error).toBeInstanceOf(Interrupted);
  expect(seconds).toBeGreaterThanOrEqual(120);
  expect(seconds).toBeLessThan(150);
});

test("INTERRUPTED with a newer revision is superseded at once", async () => {
  const { error, seconds } = await follow({
    course: [[0, "INTERRUPTED"]],
    deployment: () => deployment({ latest_revision_id: laterRevisionId }),
  });
  expect(error).toBeInstanceOf(Superseded);
  expect(seconds).toBe(0);
});

test("UNKNOWN is outlasted until the deadline", async () => {
  const { error, seconds } = await follow({ course: [[0, "UNKNOWN"]], limits: { timeoutMs: 600_000 } });
  expect(error).toBeInstanceOf(RolloutTimeout);
  expect(seconds).toBe(600);
});

test("an unknown status is outlasted with one warning", async () => {
  const { result, events } = await follow({
    course: [
      [0, "WARMING_UP"],
      [60, "DEPLOYED"],
    ],
  });
  expect(result?.revision.status).toBe("DEPLOYED");
  expect(warnings(events)).toEqual([
    { type: "warning", message: "Status WARMING_UP is unknown to this version; still waiting." },
  ]);
});

test("the wait ends at its deadline and says that the rollout continues", async () => {
  const { error, seconds } = await follow({ course: [[0, "BUILDING"]], logs: { build: ["compiling"] } });
  expect(error).toBeInstanceOf(RolloutTimeout);
  expect((error as RolloutTimeout).message).toContain("is still BUILDING after 30m 00s; the rollout continues");
  expect((error as RolloutTimeout).logTail).toHaveLength(1);
  expect(seconds).toBe(1_800);
});

test("DEPLOYED at the last moment is a success", async () => {
  const { result } = await follow({
    course: [
      [0, "BUILDING"],
      [100, "DEPLOYED"],
    ],
    limits: { timeoutMs: 100_000 },
  });
  expect(result?.revision.status).toBe("DEPLOYED");
});

test("after DEPLOYED, the wait for the traffic switch may exceed the deadline", async () => {
  const { result, events, seconds } = await follow({
    course: [
      [0, "BUILDING"],
      [100, "DEPLOYED"],
    ],
    deployment: (now) => deployment({ active_revision_id: now < 120 ? laterRevisionId : revisionId }),
    limits: { timeoutMs: 100_000 },
  });
  expect(result?.deployment.active_revision_id).toBe(revisionId);
  expect(events.filter((event) => event.type === "switching")).toHaveLength(1);
  expect(seconds).toBeGreaterThanOrEqual(120);
});

test("a revision that never gets traffic is an outcome of its own", async () => {
  const { error, seconds } = await follow({
    course: [[0, "DEPLOYED"]],
    deployment: () => deployment({ active_revision_id: "an-older-one" }),
  });
  expect(error).toBeInstanceOf(RolloutError);
  expect((error as RolloutError).message).toContain("is DEPLOYED, but 1m 00s later");
  expect((error as RolloutError).message).toContain("still serves an-older-one");
  expect(seconds).toBeLessThan(75);
});

test("a newer revision that already serves has superseded this one", async () => {
  const { error } = await follow({
    course: [[0, "DEPLOYED"]],
    deployment: () => deployment({ latest_revision_id: laterRevisionId, active_revision_id: laterRevisionId }),
  });
  expect(error).toBeInstanceOf(Superseded);
});

test("a newer revision in progress doesn't prevent this one from going live", async () => {
  const { result } = await follow({
    course: [[0, "DEPLOYED"]],
    deployment: () => deployment({ latest_revision_id: laterRevisionId }),
  });
  expect(result?.revision.id).toBe(revisionId);
});

test("on a server that doesn't report the active revision, DEPLOYED is live", async () => {
  const { active_revision_id: _, ...older } = deployment();
  const { result } = await follow({ course: [[0, "DEPLOYED"]], deployment: () => older as Deployment });
  expect(result?.revision.status).toBe("DEPLOYED");
});

test("a wait outlasts a revision that is missing for a while", async () => {
  const { result, events } = await follow({
    course: [
      [0, "BUILDING"],
      [20, gone(revisionId)],
      [80, "DEPLOYED"],
    ],
  });
  expect(result?.revision.status).toBe("DEPLOYED");
  expect(warnings(events)).toHaveLength(1);
});

test("a revision that stays missing for 120 seconds has failed", async () => {
  const { error, seconds } = await follow({ course: [[0, gone(revisionId)]] });
  expect(error).toBeInstanceOf(RolloutError);
  expect((error as RolloutError).message).toContain("can't be found any longer");
  expect(seconds).toBeGreaterThanOrEqual(120);
});

test("a deployment that is deleted ends the wait at once", async () => {
  const { error, seconds } = await follow({
    course: [
      [0, "BUILDING"],
      [30, gone(deploymentId)],
    ],
    deployment: () => gone(deploymentId),
  });
  expect((error as RolloutError).message).toContain("was deleted while");
  expect(seconds).toBeLessThan(40);
});

test("a wait outlasts an outage with one warning", async () => {
  const busy = { status: 503, body: { detail: "no healthy upstream" } };
  const { result, events } = await follow({
    course: [
      [0, "BUILDING"],
      [20, busy],
      [400, "reset"],
      [700, "DEPLOYED"],
    ],
  });
  expect(result?.revision.status).toBe("DEPLOYED");
  expect(warnings(events)).toHaveLength(1);
});

test("a gateway's 404 in the middle is an outage, at the beginning a wrong address", async () => {
  const page = { status: 404, body: "default backend - 404" };
  const { result } = await follow({
    course: [
      [0, "BUILDING"],
      [20, page],
      [100, "DEPLOYED"],
    ],
    deployment: (now) => (now < 100 ? page : deployment()),
  });
  expect(result?.revision.status).toBe("DEPLOYED");
  const { error, seconds } = await follow({ course: [[0, page]], deployment: () => page });
  expect(error).toBeInstanceOf(GraphDeployError);
  expect(seconds).toBe(0);
});

test("an outage that lasts until the deadline is a timeout of the wait", async () => {
  const { error } = await follow({
    course: [
      [0, "BUILDING"],
      [20, "reset"],
    ],
    limits: { timeoutMs: 300_000 },
  });
  expect(error).toBeInstanceOf(RolloutTimeout);
});

test("an outage until the deadline isn't reported as a status, and no further request is sent", async () => {
  const { error, events, seconds } = await follow({
    course: [
      [0, "BUILDING"],
      [20, { status: 503, body: { detail: "no healthy upstream" } }],
    ],
    limits: { timeoutMs: 300_000 },
  });
  expect((error as Error).message).toMatch(
    /^Revision \S+ was last seen BUILDING 4m \d+s ago: the control plane can't be read \(.*503.*no healthy upstream.*\)\. Whether the revision is live isn't known\. Check /,
  );
  expect((error as Error).message).not.toContain("larger timeout");
  expect(seconds).toBeLessThan(310);
  const unread = events.filter((event) => event.type === "heartbeat").at(-1)?.unreadMs;
  expect(unread).toBeGreaterThan(200_000);
});

test("a revoked key ends the wait", async () => {
  const { error } = await follow({
    course: [
      [0, "BUILDING"],
      [30, { status: 401, body: { detail: "no" } }],
    ],
  });
  expect(error).toBeInstanceOf(AuthenticationError);
});

test("an abort ends the wait", async () => {
  const { error, seconds } = await follow({ course: [[0, "BUILDING"]], abortAtSeconds: 60 });
  expect(error).toBeInstanceOf(Aborted);
  expect(seconds).toBeLessThan(90);
});

test("only the revision is polled until it is deployed", async () => {
  const { calls } = await follow({
    course: [
      [0, "BUILDING"],
      [100, "DEPLOYED"],
    ],
  });
  const others = calls.filter((call) => !call.endsWith(`/revisions/${revisionId}`));
  expect(others).toEqual([`GET /v2/deployments/${deploymentId}`]);
});
