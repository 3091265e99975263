import { expect, test } from "vitest";
import { ConfigError } from "../../../core/client/errors.ts";
import { formatDuration, parseDuration, parseTimeout } from "../../../core/time.ts";

test.each<[string | number, number]>([
  ["90s", 90_000],
  ["30m", 1_800_000],
  ["1h30m", 5_400_000],
  ["500ms", 500],
  ["1.5s", 1_500],
  ["0s", 0],
  [0, 0],
  [" 2h ", 7_200_000],
  [90, 90_000],
  ["90", 90_000],
  [0.5, 500],
])("%o is %i milliseconds", (text, ms) => {
  expect(parseDuration(text, "timeout")).toBe(ms);
});

test.each(["", "soon", "5 minutes", "10x", "1h-30m", "s", "1m x"])("%o isn't a duration", (text) => {
  expect(() => parseDuration(text, "timeout")).toThrow(ConfigError);
  expect(() => parseDuration(text, "timeout")).toThrow(/^timeout: .* is not a duration/);
});

test.each([-1, "-5m", "-5"])("%o is negative", (text) => {
  expect(() => parseDuration(text, "timeout")).toThrow(/must not be negative/);
});

test.each([0, -1, "0s", "-5m", "-5"])("%o limits no wait", (text) => {
  expect(() => parseTimeout(text, "timeout")).toThrow(/must be greater than zero/);
});

test.each([Number.NaN, Number.POSITIVE_INFINITY])("%o isn't a duration", (value) => {
  expect(() => parseDuration(value, "timeout")).toThrow(/is not a duration/);
});

test.each([
  [0, "0ms"],
  [999.4, "999ms"],
  [999.6, "1s"],
  [42_000, "42s"],
  [59_600, "1m 00s"],
  [185_000, "3m 05s"],
  [3_720_000, "1h 02m"],
])("%d milliseconds read as %s", (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});
