import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { checkout } from "../../../scripts/run-command.ts";
import { codeBlocks, markdownPages } from "../../kit/docs/markdown.ts";

const run = promisify(execFile);

test("the first command of README.md runs a rollout to its end", async () => {
  const readme = markdownPages().filter(({ path }) => path === "README.md");
  const [first] = readme.flatMap(codeBlocks).filter(({ language }) => language === "sh");
  const [npm, ...words] = first?.code.trim().split(" ") ?? [];
  expect([npm, words[0]]).toEqual(["npm", "run"]);
  const { scripts } = JSON.parse(readFileSync(`${checkout}/package.json`, "utf8")) as {
    scripts: Record<string, string>;
  };
  const [, ...script] = scripts[words[1] ?? ""]?.split(" ") ?? [];
  // test/system/examples runs the same program with the real CLI.
  const env = { ...process.env, GRAPHDEPLOY_PULUMI: "skip" };
  const { stdout } = await run(process.execPath, script, { cwd: checkout, env });
  expect(stdout).toContain("agent  DEPLOYED");
  expect(stdout).toMatch(/GET http\S+\/ok → 200 \{"ok":true\}/);
  expect(stdout).toContain("== Done.");
});
