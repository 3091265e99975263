import { Command } from "commander";
import { printFindings, readFile } from "./file.ts";
import { environmentOption, fileArgument, jsonOption, withOptions } from "./options.ts";
import { counted } from "./terminal/text.ts";

interface ValidateFlags {
  environment?: string;
  json: boolean;
}

/** The `validate` command. */
export function validateCommand(): Command {
  const command = new Command("validate")
    .description("Check a declarative file, without sending anything. Exit codes: 0 valid, 1 problems, 2 wrong usage.")
    .argument(...fileArgument)
    .action(validate);
  return withOptions(command, environmentOption(), jsonOption("print the result as JSON"));
}

function validate(named: string | undefined, flags: ValidateFlags, command: Command): void {
  const { path, file } = readFile(named, flags, command);
  printFindings(path, file, flags.json);
  if (file.problems.length > 0) process.exitCode = 1;
  else if (!flags.json) process.stdout.write(`${path}: ${counted(file.deployments.length, "deployment")}\n`);
}
