import fc from "fast-check";
import { expect, test } from "vitest";
import { globMatcher } from "../../../../mock-server/kit/glob.ts";

/** The meaning of a pattern as a regular expression, which may take exponential time. */
function expected(pattern: string): RegExp {
  const escaped = pattern.replace(/[.+^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`^${escaped.replace(/\*+/g, ".*").replace(/\?/g, ".")}$`, "s");
}

test("a pattern matches its texts", () => {
  const letters = (characters: string) => fc.string({ unit: fc.constantFrom(...characters), maxLength: 12 });
  fc.assert(
    fc.property(letters("ab.*?"), letters("ab.\n"), (pattern, text) => {
      expect(globMatcher(pattern)(text)).toBe(expected(pattern).test(text));
    }),
    { numRuns: 3000 },
  );
});

test("a pattern with many stars is matched quickly", () => {
  expect(globMatcher("*a*a*a*a*a*a*a*b")("a".repeat(15_000))).toBe(false);
});
