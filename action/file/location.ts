import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { type DeclarativeFile, readDeclarativeFile } from "../../core/declare/file/declarative-file.ts";
import { createConfinedReader } from "../../core/declare/file/substitution.ts";
import type { InputProblem } from "../input-problem.ts";
import type { FileInputs } from "./inputs.ts";

/** A file of the checkout. */
export interface FileLocation {
  /** From the root of the repository, with `/` between folders. Part of the ownership marker. */
  path: string;
  absolute: string;
}

/**
 * Where the input `config` leads. The repository may be checked out in a folder of the workspace; then its root is the
 * folder with `.git`.
 */
export function locateFile(config: string, workspace: string): FileLocation | InputProblem {
  const absolute = resolve(workspace, config);
  if (isOutside(resolve(workspace), absolute)) return outside;
  const root = rootAbove(dirname(absolute), resolve(workspace));
  return { path: relative(root, absolute).split(sep).join("/"), absolute };
}

const outside: InputProblem = { input: "config", message: "is not a file inside the checkout." };

function rootAbove(folder: string, workspace: string): string {
  if (folder === workspace || existsSync(join(folder, ".git"))) return folder;
  return rootAbove(dirname(folder), workspace);
}

function isOutside(folder: string, file: string): boolean {
  const way = relative(folder, file);
  return way === "" || way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way);
}

/** Variables of the runner that hold its own credentials, or the inputs and the state of the step. */
const runnerVariable = /^(?:ACTIONS|INPUT|STATE)_/;

export interface ReadOptions extends Pick<FileInputs, "environment" | "allowedEmpty"> {
  env: Readonly<Record<string, string | undefined>>;
  workspace: string;
  /** Read the previews of this pull request instead of the deployments. */
  pullRequest?: number | undefined;
}

/** Reads the file. An empty variable counts as missing, since GitHub gives nothing for a secret that doesn't exist. */
export function readLocated(
  { path, absolute }: FileLocation,
  { env, workspace, environment, allowedEmpty, pullRequest }: ReadOptions,
): DeclarativeFile | InputProblem {
  let text: string;
  try {
    if (isOutside(realpathSync(workspace), realpathSync(absolute))) return outside;
    text = readFileSync(absolute, "utf8");
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    const message = isMissing
      ? `There is no file ${path} in the checkout: check out the repository before this step, or correct the path.`
      : `The file ${path} can't be read (${(error as NodeJS.ErrnoException).code}).`;
    return { input: "config", message };
  }
  const variables = Object.entries(env).filter(
    ([name, value]) => !runnerVariable.test(name) && (value !== "" || allowedEmpty.includes(name)),
  );
  return readDeclarativeFile(text, {
    path,
    environment,
    pullRequest,
    env: Object.fromEntries(variables),
    readFile: createConfinedReader(dirname(absolute)),
  });
}
