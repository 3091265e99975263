import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

/** Runs the launcher without npm in reach: a test must not install anything beside others that are running. */
function launch(...args: string[]) {
  const env = { ...process.env, PATH: "" };
  return spawnSync(process.execPath, ["scripts/bootstrap.mjs", ...args], { encoding: "utf8", env });
}

test("the launcher refuses an unknown command and names the known ones", () => {
  const { status, stderr } = launch("fly");
  expect(status).toBe(2);
  expect(stderr).toMatch(/^Unknown command "fly"\. Known: .*test/);
});

test("the launcher passes arguments and the exit status through", () => {
  const { status, stderr } = launch("mock", "--port", "99999");
  expect(status).not.toBe(0);
  expect(stderr).toContain("99999");
});
