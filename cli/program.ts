import { Command } from "commander";
import { runCommand } from "../mock-server/run-until-signal.ts";
import { commands } from "./commands.ts";
import { version } from "./version.ts";

const program = new Command("graphdeploy")
  .description("Agent deployments as code: plan, apply and follow what a file declares, and a mock of the platform.")
  .version(version);

const [first, second] = process.argv.slice(2);
const chosen = first === "help" ? second : first;
for (const { name, summary, load } of commands) {
  program.addCommand((name === chosen ? await load() : new Command(name)).summary(summary));
}

// With --detailed-exitcode, 2 means nothing but changes.
await runCommand(program, process.argv.includes("--detailed-exitcode") ? 1 : 2);
