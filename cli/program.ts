import { Command } from "commander";
import { devCommand } from "../mock-server/dev-command.ts";
import { mockCommand } from "../mock-server/mock-command.ts";
import { closeOnSignal, runCommand } from "../mock-server/run-until-signal.ts";

const program = new Command("graphdeploy")
  .description("Agent deployments as code: tools for tests and local work.")
  .addCommand(mockCommand(closeOnSignal))
  .addCommand(devCommand(closeOnSignal));

await runCommand(program);
