import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { Command } from "commander";
import type { DeclarativeFile, FileProblem } from "../core/declare/file/declarative-file.ts";

const defaultFiles = ["graphdeploy.yaml", "graphdeploy.yml", "graphdeploy.json"];

interface ValidateFlags {
  environment?: string;
  json: boolean;
}

/** The `validate` command. */
export function validateCommand(): Command {
  return new Command("validate")
    .description("Check a declarative file, without sending anything.")
    .argument("[file]", `the file (default: ${defaultFiles.join(", ")} in this folder)`)
    .option("--environment <name>", "overlay of the file to merge before checking")
    .option("--json", "print the result as JSON", false)
    .action(async (path: string | undefined, flags: ValidateFlags, command: Command) => {
      const { file, text } = await readText(path).catch((error: Error) => command.error(`error: ${error.message}`));
      // The parser is only for those who have a file.
      const { readDeclarativeFile } = await import("../core/declare/file/declarative-file.ts");
      const { createConfinedReader } = await import("../core/declare/file/confined-files.ts");
      const declared = readDeclarativeFile(text, {
        path: file,
        environment: flags.environment,
        env: process.env,
        readFile: createConfinedReader(dirname(file)),
      });
      process.stdout.write(flags.json ? `${JSON.stringify(report(file, declared))}\n` : lines(file, declared));
      if (declared.problems.length > 0) process.exitCode = 1;
    });
}

/** @throws Error when there is no such file, or none of the default ones */
async function readText(path: string | undefined): Promise<{ file: string; text: string }> {
  for (const file of path === undefined ? defaultFiles : [path]) {
    try {
      return { file, text: await readFile(file, "utf8") };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "ENOENT") throw new Error(`${file} can't be read (${code}).`, { cause: error });
    }
  }
  throw new Error(
    path === undefined
      ? `This folder has no ${defaultFiles.join(", ")}. Name the file: graphdeploy validate <file>.`
      : `There is no file ${path}.`,
  );
}

function lines(file: string, { deployments, problems, warnings }: DeclarativeFile): string {
  const found = [...problems.map((problem) => line(problem)), ...warnings.map((warning) => line(warning, "warning: "))];
  const count = deployments.length === 1 ? "1 deployment" : `${deployments.length} deployments`;
  const all = problems.length > 0 ? found : [...found, `${file}: ${count}`];
  return all.map((text) => `${text}\n`).join("");
}

function line({ file, line, column, path, message }: FileProblem, kind = ""): string {
  return `${file}:${line}:${column}: ${kind}${path === "" ? "" : `${path}: `}${message}`;
}

function report(file: string, { deployments, problems, warnings }: DeclarativeFile) {
  return { file, deployments: deployments.map(({ desired }) => desired.name), problems, warnings };
}
