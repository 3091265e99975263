import { expect, test } from "vitest";
import { createClock } from "../../mock-server/clock.ts";
import { parseDuration } from "../../mock-server/duration.ts";

test("a clock runs with its source until it is frozen, and runs on from where it stood", () => {
  let real = 1000;
  const clock = createClock({ source: () => real });
  real = 1500;
  expect(clock.now()).toBe(1500);
  clock.freeze();
  real = 9000;
  expect(clock.now()).toBe(1500);
  clock.advance("1s");
  expect(clock.now()).toBe(2500);
  clock.resume();
  real = 9100;
  expect(clock.now()).toBe(2600);
  clock.advance(400);
  expect(clock.now()).toBe(3000);
});

test("resuming a running clock and freezing a frozen one change nothing", () => {
  const clock = createClock({ source: () => 5 });
  clock.resume();
  clock.freeze();
  clock.freeze();
  expect(clock.now()).toBe(5);
});

test.each([
  ["250ms", 250],
  ["5s", 5000],
  ["1.5m", 90_000],
  ["1h", 3_600_000],
  ["1m30s", 90_000],
  ["40", 40],
  [40, 40],
])("%s is %i milliseconds", (text, expected) => {
  expect(parseDuration(text)).toBe(expected);
});

test.each(["", "soon", "5 parsecs", "-5s", "s5", Number.NaN, -1])("%s is no duration", (text) => {
  expect(() => parseDuration(text)).toThrow(RangeError);
});
