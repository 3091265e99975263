import { expect, test } from "vitest";
import { createClock } from "../../../mock-server/kit/clock.ts";

test("a clock runs with its source until it is frozen, and resumes from where it stopped", () => {
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
  clock.advance(0.4);
  expect(clock.now()).toBe(3000);
});

test("resuming a running clock and freezing a frozen one change nothing", () => {
  const clock = createClock({ source: () => 5 });
  clock.resume();
  clock.freeze();
  clock.freeze();
  expect(clock.now()).toBe(5);
});
