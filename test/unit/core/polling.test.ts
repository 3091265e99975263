import { expect, test } from "vitest";
import { models } from "../../../bench/polling/models.ts";
import { policies, simulate } from "../../../bench/polling/simulate.ts";
import { revisionStatuses } from "../../../core/client/wire/revisions.ts";
import { pollBounds, pollDelayMs } from "../../../core/rollout/waiting.ts";

const jitters = [0, 0.5, 0.999_999];
const times = [0, 1, 20_000, 300_000, 1_800_000, 86_400_000];

test("every delay is within the documented limits and 10 % of jitter", () => {
  for (const status of [...revisionStatuses, "NEVER_SEEN"]) {
    for (const elapsedMs of times) {
      for (const random of jitters) {
        const delay = pollDelayMs({ status, elapsedMs, random });
        const minMs = Math.min(pollBounds.building.minMs, pollBounds.ending.minMs);
        expect(delay).toBeGreaterThanOrEqual(minMs * 0.9);
        expect(delay).toBeLessThanOrEqual(pollBounds.building.maxMs * 1.1);
      }
    }
  }
});

test.each(["AWAITING_DEPLOY", "DEPLOYING", "INTERRUPTED"])("while %s no delay is longer than 6.6 s", (status) => {
  for (const elapsedMs of times) expect(pollDelayMs({ status, elapsedMs, random: 0.999 })).toBeLessThanOrEqual(6_600);
});

test("the delay never shrinks while a status lasts", () => {
  for (const status of ["BUILDING", "DEPLOYING"]) {
    const delays = times.map((elapsedMs) => pollDelayMs({ status, elapsedMs, random: 0.5 }));
    expect(delays).toEqual(delays.toSorted((a, b) => a - b));
  }
});

test.each(models)(
  "under the model $name, DEPLOYED is noticed within 3.5 s on average, with 60 requests in 10 minutes",
  (model) => {
    const ours = simulate(model, pollDelayMs);
    const everySecond = simulate(model, policies["every 1 s"] ?? pollDelayMs);
    expect(ours.meanDelayMs).toBeLessThanOrEqual(3_500);
    expect(ours.requestsPer10Minutes).toBeLessThanOrEqual(60);
    expect(ours.requests).toBeLessThanOrEqual(everySecond.requests / 5);
  },
);

test("the simulation has the same result for the same seed", () => {
  const [model] = models;
  if (model === undefined) throw new Error("There is no model.");
  expect(simulate(model, pollDelayMs, { rollouts: 50 })).toEqual(simulate(model, pollDelayMs, { rollouts: 50 }));
});
