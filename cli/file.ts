import { dirname } from "node:path";
import type { Command } from "commander";
import {
  type DeclarativeFile,
  problemLine,
  readDeclarativeFile,
  warningLine,
} from "../core/declare/file/declarative-file.ts";
import { defaultFileNames, readNamedOrDefault } from "../core/declare/file/default-file.ts";
import { createConfinedReader } from "../core/declare/file/substitution.ts";
import { printable } from "./terminal/text.ts";

/** Reads the named file, or the one in this folder. Where there is none, that is wrong usage. */
export function readFile(
  named: string | undefined,
  { environment, preview: pullRequest }: { environment?: string; preview?: number },
  command: Command,
): { path: string; file: DeclarativeFile } {
  const { file: path, text } = read(named, command);
  const readText = createConfinedReader(dirname(path));
  const options = { path, environment, pullRequest, env: process.env, readFile: readText };
  return { path, file: readDeclarativeFile(text, options) };
}

function read(named: string | undefined, command: Command): { file: string; text: string } {
  try {
    const found = readNamedOrDefault(named, ["."]);
    if (found !== undefined) return found;
  } catch (error) {
    return command.error(`error: ${(error as Error).message}`);
  }
  return command.error(`error: This folder has no ${defaultFileNames.join(", ")}. Name the file.`);
}

/** Prints the problems and warnings of a file, one a line, or as one JSON document. */
export function printFindings(path: string, file: DeclarativeFile, isJson: boolean): void {
  const { deployments, problems, warnings } = file;
  const lines = isJson
    ? [JSON.stringify({ file: path, deployments: deployments.map(({ desired }) => desired.name), problems, warnings })]
    : [...problems.map(problemLine), ...warnings.map(warningLine)].map(printable);
  process.stdout.write(lines.map((line) => `${line}\n`).join(""));
}
