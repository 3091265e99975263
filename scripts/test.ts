// `npm test`: gets a Pulumi CLI and a browser if the run has tests that use them, then runs vitest with the arguments
// given.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { getChromium } from "./get-chromium.ts";
import { getPulumi } from "./get-pulumi.mjs";
import { checkout, runCommand } from "./run-command.ts";
import { usesBrowser, usesPulumi } from "./test-tools.ts";

const args = process.argv.slice(2);
// A run that crashes must not leave the previous run's report.
await rm(join(checkout, ".cache", "vitest-report.json"), { force: true });

// The processes that the tests start load the same large packages again and again.
const compiled = join(checkout, ".cache", "compiled");
const environment: NodeJS.ProcessEnv = { NODE_COMPILE_CACHE: compiled, ...process.env };
if (usesPulumi(args)) {
  const pulumi = await getPulumi({ log: (line) => process.stderr.write(`pulumi: ${line}\n`) });
  if ("path" in pulumi) environment.GRAPHDEPLOY_PULUMI_CLI = pulumi.path;
  else {
    process.stderr.write(`pulumi: tests of the real CLI are skipped: ${pulumi.reason}\n`);
    environment.GRAPHDEPLOY_PULUMI_REASON = pulumi.reason;
  }
}
if (usesBrowser(args)) {
  const chromium = await getChromium((line) => process.stderr.write(`chromium: ${line}\n`));
  if ("reason" in chromium) {
    process.stderr.write(`chromium: tests in a browser are skipped: ${chromium.reason}\n`);
    environment.GRAPHDEPLOY_CHROMIUM_REASON = chromium.reason;
  }
}
process.exitCode = await runCommand("node_modules/.bin/vitest", ["run", ...args], { environment });
