import { expect, test } from "vitest";
import { countStatements } from "../../../scripts/count-statements.ts";

test("types, comments, line breaks and braces don't count, nested statements do", () => {
  const bare = "export const twice = (n) => { if (n > 0) return n * 2; return 0; };";
  const dressed = `
    import type { Reader } from "./reader.ts";
    interface Options { size: number }
    /** Doubles. */
    export const twice = (n: number): number => {
      // Nothing is below zero.
      if (n > 0) {
        return n * 2;
      }

      return 0;
    };`;
  expect(countStatements(bare)).toBe(4);
  expect(countStatements(dressed)).toBe(4);
});
