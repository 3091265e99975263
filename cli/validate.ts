import { dirname } from "node:path";
import { Command } from "commander";
import type { DeclarativeFile } from "../core/declare/file/declarative-file.ts";
import { defaultFileNames, readNamedOrDefault } from "../core/declare/file/default-file.ts";

interface ValidateFlags {
  environment?: string;
  json: boolean;
}

/** The `validate` command. */
export function validateCommand(): Command {
  return new Command("validate")
    .description("Check a declarative file, without sending anything.")
    .argument("[file]", `the file (default: ${defaultFileNames.join(", ")} in this folder)`)
    .option("--environment <name>", "overlay of the file to merge before checking")
    .option("--json", "print the result as JSON", false)
    .action(async (path: string | undefined, flags: ValidateFlags, command: Command) => {
      const { file, text } = await readText(path).catch((error: Error) => command.error(`error: ${error.message}`));
      // The parser is only for those who have a file.
      const { problemLine, readDeclarativeFile, warningLine } = await import(
        "../core/declare/file/declarative-file.ts"
      );
      const { createConfinedReader } = await import("../core/declare/file/substitution.ts");
      const declared = readDeclarativeFile(text, {
        path: file,
        environment: flags.environment,
        env: process.env,
        readFile: createConfinedReader(dirname(file)),
      });
      const { problems, warnings } = declared;
      const lines = [...problems.map(problemLine), ...warnings.map(warningLine)];
      if (problems.length === 0) lines.push(summary(file, declared));
      process.stdout.write(`${flags.json ? JSON.stringify(report(file, declared)) : lines.join("\n")}\n`);
      if (problems.length > 0) process.exitCode = 1;
    });
}

/** @throws Error when there is no such file, or none of the default ones */
async function readText(path: string | undefined): Promise<{ file: string; text: string }> {
  const found = readNamedOrDefault(path, ["."]);
  if (found !== undefined) return found;
  throw new Error(`This folder has no ${defaultFileNames.join(", ")}. Name the file: graphdeploy validate <file>.`);
}

function summary(file: string, { deployments }: DeclarativeFile): string {
  return `${file}: ${deployments.length === 1 ? "1 deployment" : `${deployments.length} deployments`}`;
}

function report(file: string, { deployments, problems, warnings }: DeclarativeFile) {
  return { file, deployments: deployments.map(({ desired }) => desired.name), problems, warnings };
}
