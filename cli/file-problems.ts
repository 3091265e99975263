import type { DeclarativeFile, FileProblem } from "../core/declare/file/declarative-file.ts";

/** Prints the problems of a file, one a line, or as one JSON document. */
export function printProblems(file: string, declared: DeclarativeFile, isJson: boolean): void {
  const text = isJson
    ? `${JSON.stringify(fileReport(file, declared))}\n`
    : declared.problems.map((problem) => `${line(problem)}\n`).join("");
  process.stdout.write(text);
}

/** What `validate --json` prints. */
export function fileReport(file: string, { deployments, problems }: DeclarativeFile) {
  return { file, deployments: deployments.map(({ desired }) => desired.name), problems };
}

function line({ file, line, column, path, message }: FileProblem): string {
  return `${file}:${line}:${column}: ${path === "" ? "" : `${path}: `}${message}`;
}
