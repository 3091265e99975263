import { expect, test } from "vitest";
import { usesPackage } from "../../scripts/uses-package.ts";

test("a full run uses the package, also with flags", () => {
  expect(usesPackage([])).toBe(true);
  expect(usesPackage(["run", "--reporter", "json"])).toBe(true);
});

test("a run of one folder uses the package only where its tests do", () => {
  expect(usesPackage(["run", "test/core"])).toBe(false);
  expect(usesPackage(["test/core/", "test/e2e/"])).toBe(true);
});
