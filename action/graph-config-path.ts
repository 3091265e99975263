import { existsSync } from "node:fs";
import { posix } from "node:path";
import { graphConfigFileNames } from "../core/client/wire/conventions.ts";
import type { InputProblem } from "./input-problem.ts";

interface GraphConfigPath {
  /** Relative to the root of the repository; `undefined` if no file was given or found. */
  path: string | undefined;
  problems: readonly InputProblem[];
  checkoutProblems: readonly InputProblem[];
}

/**
 * The path of the graph configuration file: the given one, or one that is found in the checkout.
 * @param workspace the folder of the checkout, if there is one
 * @param isCheckedOut whether a checkout there has the code to deploy
 */
export function readGraphConfigPath(
  given: string | undefined,
  workingDirectory: string,
  workspace: string,
  isCheckedOut: boolean,
): GraphConfigPath {
  const folder = posix.normalize(workingDirectory.replaceAll("\\", "/"));
  if (folder.startsWith("..") || posix.isAbsolute(folder)) {
    return problem("working-directory", "is not a folder inside the repository.");
  }
  const isThere = (path: string) => existsSync(posix.join(workspace, path));
  if (given === undefined) {
    const found = graphConfigFileNames.find((file) => isThere(posix.join(folder, file)));
    return { path: found && posix.join(folder, found), problems: [], checkoutProblems: [] };
  }
  const path = posix.join(folder, given);
  if (posix.isAbsolute(given) || path.startsWith("../")) {
    return problem("graph-config-path", "is not a file inside the repository.");
  }
  // A sparse checkout lacks files, and a folder without .git may be anything.
  const isWhole = isThere(".git") && !isThere(".git/info/sparse-checkout");
  const isMissing = isCheckedOut && isWhole && !isThere(path);
  const message = `There is no file ${path} in the checkout, and the platform would look for it there. Paths are relative to working-directory, which is ${JSON.stringify(workingDirectory)}.`;
  return { path, problems: [], checkoutProblems: isMissing ? [{ input: "graph-config-path", message }] : [] };
}

function problem(input: string, message: string): GraphConfigPath {
  return { path: undefined, problems: [{ input, message }], checkoutProblems: [] };
}
