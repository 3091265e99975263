import { expect, test } from "vitest";
import { usesBrowser, usesPackage } from "../../scripts/what-tests-use.ts";

test("a full run uses the package, also with flags", () => {
  expect(usesPackage([])).toBe(true);
  expect(usesPackage(["run", "--reporter", "json"])).toBe(true);
});

test("a run of one folder uses the package only where its tests do", () => {
  expect(usesPackage(["run", "test/core"])).toBe(false);
  expect(usesPackage(["test/core/", "test/e2e/"])).toBe(true);
  expect(usesPackage(["test/package"])).toBe(true);
});

test("a browser is got for a full run and for the tests that open it", () => {
  expect(usesBrowser([])).toBe(true);
  expect(usesBrowser(["test/browser/auth-flow.test.ts"])).toBe(true);
  expect(usesBrowser(["test/docs"])).toBe(true);
  expect(usesBrowser(["test/core"])).toBe(false);
});
