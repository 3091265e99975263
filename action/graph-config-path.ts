import { existsSync } from "node:fs";
import { posix } from "node:path";
import { graphConfigFileNames } from "../core/client/wire/naming.ts";
import type { InputProblem } from "./input-problem.ts";

interface GraphConfigPath {
  /** From the root of the repository; `undefined` where no file is named or found. */
  path: string | undefined;
  problems: readonly InputProblem[];
  checkoutProblems: readonly InputProblem[];
}

/**
 * The path of the graph configuration file: the one that is named, or the one that is found in the checkout.
 * @param workspace where the repository is, if it is checked out
 * @param isCheckedOut whether a checkout there would be of what is deployed
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
  // A sparse checkout has not all files, and a folder without .git may be anything.
  const isWhole = isThere(".git") && !isThere(".git/info/sparse-checkout");
  const isMissing = isCheckedOut && isWhole && !isThere(path);
  const message = `There is no file ${path} in the checkout, and the platform would look for it there. Paths begin in working-directory, which is ${JSON.stringify(workingDirectory)}.`;
  return { path, problems: [], checkoutProblems: isMissing ? [{ input: "graph-config-path", message }] : [] };
}

function problem(input: string, message: string): GraphConfigPath {
  return { path: undefined, problems: [{ input, message }], checkoutProblems: [] };
}
