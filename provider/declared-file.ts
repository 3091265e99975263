import { dirname, relative } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { type DeclaredDeployment, problemLine, readDeclarativeFile } from "../core/declare/file/declarative-file.ts";
import { defaultFileNames, readNamedOrDefault } from "../core/declare/file/default-file.ts";
import { suggestion } from "../core/declare/file/schema-findings.ts";
import { createConfinedReader } from "../core/declare/file/substitution.ts";

/** Which file to read, and what of it. */
export interface FileSelection {
  /** Path from the program's folder. @default the first default name there, or else beside `Pulumi.yaml` */
  file: string | undefined;
  environment: string | undefined;
  /** Keys of deployments. @default all */
  only: readonly string[] | undefined;
  /** Values for `${NAME}`, before those of the process's environment. */
  texts: Readonly<Record<string, string>>;
}

/**
 * The chosen deployments of a declarative file.
 * @throws `pulumi.RunError`, which Pulumi prints without a stack, that lists all problems
 */
export function readDeclaredFile(selection: FileSelection): { file: string; declared: DeclaredDeployment[] } {
  const { file, text } = findFile(selection.file);
  const { deployments, problems } = readDeclarativeFile(text, {
    path: file,
    environment: selection.environment,
    env: { ...process.env, ...selection.texts },
    readFile: createConfinedReader(dirname(file)),
  });
  if (problems.length > 0) {
    const count = problems.length === 1 ? "a problem" : `${problems.length} problems`;
    throw new pulumi.RunError([`${file} has ${count}:`, ...problems.map(problemLine)].join("\n"));
  }
  const { only = deployments.map(({ key }) => key) } = selection;
  const known = deployments.map(({ key }) => key);
  const unknown = only.filter((key) => !known.includes(key));
  if (unknown.length > 0) {
    const lines = unknown.map((key) => `only: ${key} is not a deployment of ${file}.${suggestion(key, known)}`);
    throw new pulumi.RunError(lines.join("\n"));
  }
  return { file, declared: deployments.filter(({ key }) => only.includes(key)) };
}

function findFile(path: string | undefined): { file: string; text: string } {
  const projectFolder = relative(process.cwd(), pulumi.getRootDirectory());
  let found: ReturnType<typeof readNamedOrDefault>;
  try {
    found = readNamedOrDefault(path, projectFolder === "" ? ["."] : [".", projectFolder]);
  } catch (error) {
    throw new pulumi.RunError((error as Error).message);
  }
  if (found !== undefined) return found;
  throw new pulumi.RunError(
    `There is no ${defaultFileNames.join(", ")} in ${process.cwd()}. Name the file: new DeploymentsFromFile(name, { file }).`,
  );
}
