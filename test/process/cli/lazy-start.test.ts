import { spawn } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { checkout } from "../../../scripts/run-command.ts";
import { resultOf } from "../../kit/cli/command.ts";

/** Prints the address of each module that is loaded. */
const hooks = `import { registerHooks } from "node:module";
registerHooks({ load: (url, context, next) => { process.stderr.write(url + "\\n"); return next(url, context); } });`;

test.each([
  ["--version", /^\d+\.\d+\.\d+\n$/, []],
  [
    "--help",
    /apply/,
    [
      "/mock-server/run-until-signal.ts",
      "/core/client/errors.ts",
      "/mock-server/sqlite-warning.ts",
      "/mock-server/usage-error.ts",
    ],
  ],
])("%s loads neither a client nor the parser nor the mock", async (flag, output, modules) => {
  const imports = ["--import", `data:text/javascript,${encodeURIComponent(hooks)}`];
  const { code, stdout, stderr } = await resultOf(
    spawn(process.execPath, [...imports, join(checkout, "cli", "main.ts"), flag]),
  );
  expect([code, stdout]).toEqual([0, expect.stringMatching(output)]);
  const root = pathToFileURL(checkout).href;
  const loaded = stderr.split("\n").map((url) => url.replace(root, ""));
  expect(loaded.filter((url) => url.includes("/node_modules/") && !url.includes("/commander/"))).toEqual([]);
  expect(loaded.filter((url) => /^\/(core|mock-server)\//.test(url))).toEqual(["/core/node-version.ts", ...modules]);
});
