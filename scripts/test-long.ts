// `npm run test:long`: the model of the Pulumi provider, with many more steps than `npm test` takes.
import { join } from "node:path";
import { checkout, runCommand } from "./run-command.ts";

const environment = { GRAPHDEPLOY_MODEL_STEPS: "10000", GRAPHDEPLOY_MODEL_CLI_STEPS: "500", ...process.env };
const args = ["test/model/model.test.ts", "test/e2e/model.test.ts", ...process.argv.slice(2)];
process.exitCode = await runCommand(process.execPath, [join(checkout, "scripts", "test.ts"), ...args], { environment });
