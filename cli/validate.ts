import { Command } from "commander";
import { fileReport, printProblems, readFile } from "./file.ts";
import { environmentOption, fileArgument, jsonOption, usageExit, withOptions } from "./options.ts";
import { counted } from "./terminal/text.ts";

interface ValidateFlags {
  environment?: string;
  json: boolean;
}

/** The `validate` command. Exit codes: 0 for a valid file, 1 for one with problems, 2 for wrong usage, a file that can't be read among it. */
export function validateCommand(): Command {
  const command = new Command("validate")
    .description("Check a declarative file, without sending anything. Exit codes: 0 valid, 1 problems, 2 wrong usage.")
    .argument(...fileArgument)
    .exitOverride(usageExit)
    .action(validate);
  return withOptions(command, environmentOption(), jsonOption("print the result as JSON"));
}

function validate(named: string | undefined, flags: ValidateFlags, command: Command): void {
  const { path, file } = readFile(named, flags, command);
  if (file.problems.length > 0) {
    printProblems(path, file, flags.json);
    process.exitCode = 1;
    return;
  }
  const count = `${path}: ${counted(file.deployments.length, "deployment")}`;
  process.stdout.write(`${flags.json ? JSON.stringify(fileReport(path, file)) : count}\n`);
}
