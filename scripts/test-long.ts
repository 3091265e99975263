// `npm run test:long`: the tests that take too long for `npm test`: the model of the Pulumi provider and the crash test
// with many more steps, all comparisons of the tests' engine with Pulumi's own, programs that are too large for the
// dependencies, and the servers' suites with their data in files.
import { join } from "node:path";
import { checkout, runCommand } from "./run-command.ts";

const more = process.argv.slice(2);
const run = (environment: Record<string, string>, ...folders: string[]) =>
  runCommand(process.execPath, [join(checkout, "scripts", "test.ts"), ...folders, ...more], {
    environment: { ...environment, ...process.env },
  });

const statuses = [
  await run({ GRAPHDEPLOY_MODEL_STEPS: "10000" }, "test/process/model"),
  await run({ GRAPHDEPLOY_MODEL_CLI_STEPS: "500" }, "test/system/pulumi/model.test.ts"),
  await run({ GRAPHDEPLOY_ENGINE_SEQUENCES: "all" }, "test/system/pulumi/small-engine.test.ts"),
  await run(
    { GRAPHDEPLOY_KILLS: "all" },
    "test/process/provider/kill-at-every-step.test.ts",
    "test/process/cli/kill.test.ts",
  ),
  await run({ GRAPHDEPLOY_CRASH_ROUNDS: "200" }, "test/process/mock-server/crash"),
  await run({ GRAPHDEPLOY_MCP_PROGRAMS: "all" }, "test/system/clients/mcp-programs.test.ts"),
  await run(
    { GRAPHDEPLOY_TEST_STORE: "file" },
    "test/unit/mock-server",
    "test/process/mock-server",
    "test/unit/agent-server",
    "test/process/agent-server",
  ),
];
process.exitCode = Math.max(...statuses);
