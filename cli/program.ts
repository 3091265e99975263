import { Command } from "commander";
import { devCommand } from "../mock-server/dev-command.ts";
import { closeOnSignal, runCommand } from "../mock-server/run-until-signal.ts";
import manifest from "../package.json" with { type: "json" };
import { validateCommand } from "./validate.ts";

const program = new Command("graphdeploy")
  .description("Agent deployments as code: tools for tests and local work.")
  .version(manifest.version);

if (process.argv[2] !== "dev" && process.argv[2] !== "validate") {
  // Loads code that the other commands don't need.
  const { mockCommand } = await import("../mock-server/mock-command.ts");
  program.addCommand(mockCommand(closeOnSignal));
}
program.addCommand(devCommand(closeOnSignal));
program.addCommand(validateCommand());

await runCommand(program);
