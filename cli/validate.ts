import { dirname } from "node:path";
import { Command } from "commander";
import type { DeclarativeFile } from "../core/declare/file/declarative-file.ts";
import { readDefaultFile } from "./default-files.ts";
import { fileReport, printProblems } from "./file-problems.ts";
import { fileArgument, usageExit } from "./options.ts";

interface ValidateFlags {
  environment?: string;
  json: boolean;
}

/** The `validate` command. Exit codes: 0 for a valid file, 1 for one with problems, 2 for wrong usage, a file that can't be read among it. */
export function validateCommand(): Command {
  return new Command("validate")
    .description("Check a declarative file, without sending anything. Exit codes: 0 valid, 1 problems, 2 wrong usage.")
    .argument(...fileArgument)
    .option("--environment <name>", "overlay of the file to merge before checking")
    .option("--json", "print the result as JSON", false)
    .exitOverride(usageExit)
    .action(async (path: string | undefined, flags: ValidateFlags, command: Command) => {
      const { file, text } = await readDefaultFile(path).catch((error: Error) =>
        command.error(`error: ${error.message}`),
      );
      // The parser is only for those who have a file.
      const { readDeclarativeFile } = await import("../core/declare/file/declarative-file.ts");
      const { createConfinedReader } = await import("../core/declare/file/substitution.ts");
      const declared = readDeclarativeFile(text, {
        path: file,
        environment: flags.environment,
        env: process.env,
        readFile: createConfinedReader(dirname(file)),
      });
      if (declared.problems.length > 0) {
        printProblems(file, declared, flags.json);
        process.exitCode = 1;
      } else
        process.stdout.write(flags.json ? `${JSON.stringify(fileReport(file, declared))}\n` : count(file, declared));
    });
}

function count(file: string, { deployments }: DeclarativeFile): string {
  return `${file}: ${deployments.length === 1 ? "1 deployment" : `${deployments.length} deployments`}\n`;
}
