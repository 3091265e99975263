import { expect, test } from "vitest";
import { usesBrowser, usesPulumi } from "../../../scripts/test-tools.ts";

test("a run of everything uses the Pulumi CLI and a browser, also with flags", () => {
  for (const args of [[], ["run", "--reporter", "json"], ["--project", "system"], ["test/system/"]]) {
    expect([usesPulumi(args), usesBrowser(args)]).toEqual([true, true]);
  }
});

test("a run of another project uses neither", () => {
  for (const args of [["--project", "unit"], ["--project=process"], ["test/unit/core"], ["test/process/provider"]]) {
    expect([usesPulumi(args), usesBrowser(args)]).toEqual([false, false]);
  }
});

test("a run of one folder uses what its tests use", () => {
  expect(usesPulumi(["test/unit/core", "test/system/pulumi/recovery.test.ts"])).toBe(true);
  expect(usesPulumi(["test/system/clients"])).toBe(false);
  expect(usesBrowser(["test/system/browser/auth-flow.test.ts"])).toBe(true);
  expect(usesBrowser(["test/system/clients"])).toBe(false);
});
