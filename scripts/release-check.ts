// `npm run release:check`: the conditions that a checkout must meet before a release, besides passing tests.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { checkout } from "./run-command.ts";

/** The placeholder in package.json and in the documents until the repository has an address. */
const placeholder = "OWNER";

interface Manifest {
  version: string;
  repository: { url: string };
}

/**
 * The problems that block a release, one sentence each, with file and line if there is one. The repository's address is
 * defined in package.json; examples and documents must show the same, with the major version to release.
 *
 * @param root the folder of a checkout
 * @throws Error when package.json has no address of the form github.com/<owner>/<name>
 */
export function releaseProblems(root: string): string[] {
  const { version, repository } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Manifest;
  const [, owner, name] = /github\.com\/([^/]+)\/([^/]+?)(?:\.git)?$/.exec(repository.url) ?? [];
  if (owner === undefined || name === undefined) {
    throw new Error(`package.json: repository.url: not an address on github.com: ${repository.url}`);
  }
  const problems: string[] = [];
  if (owner === placeholder) {
    problems.push(`package.json: repository.url: ${placeholder} is a placeholder. Give the repository's address.`);
  }
  const expected = `${owner}/${name}@v${version.split(".")[0]}`;
  for (const file of documents(root)) {
    for (const [index, line] of readFileSync(join(root, file), "utf8").split("\n").entries()) {
      for (const [shown] of line.matchAll(/[\w.-]+\/graphdeploy@v\d+/g)) {
        if (shown !== expected) problems.push(`${file}:${index + 1}: shows ${shown} instead of ${expected}.`);
      }
    }
  }
  const isPending = globSync(".changeset/*.md", { cwd: root }).length > 0;
  const hasEntry = readFileSync(join(root, "CHANGELOG.md"), "utf8").includes(`\n## ${version}\n`);
  if (!isPending && !hasEntry) problems.push(`CHANGELOG.md: has no section for ${version}.`);
  return problems;
}

function documents(root: string): string[] {
  return globSync(["*.md", "docs/**/*.md", "examples/workflows/*.yml"], { cwd: root }).sort();
}

if (import.meta.main) {
  const problems = releaseProblems(checkout);
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  if (problems.length > 0) process.exitCode = 1;
}
