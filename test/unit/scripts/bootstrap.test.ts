import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

test("the launcher refuses an unknown command and names the known ones", () => {
  const { status, stderr } = spawnSync(process.execPath, ["scripts/bootstrap.mjs", "fly"], { encoding: "utf8" });
  expect(status).toBe(2);
  expect(stderr).toMatch(/^Unknown command "fly"\. Known: .*test/);
});

test("the launcher passes arguments and the exit status through", () => {
  const { status, stderr } = spawnSync(process.execPath, ["scripts/bootstrap.mjs", "mock", "--port", "99999"], {
    encoding: "utf8",
  });
  expect(status).not.toBe(0);
  expect(stderr).toContain("99999");
});
