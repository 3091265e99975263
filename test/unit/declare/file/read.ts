import {
  type DeclarativeFile,
  type DeclarativeFileOptions,
  readDeclarativeFile,
} from "../../../../core/declare/file/declarative-file.ts";

/** Reads a declarative file, without variables and files unless `options` has some. */
export function read(text: string, options: Partial<DeclarativeFileOptions> = {}): DeclarativeFile {
  return readDeclarativeFile(text, { path: "graphdeploy.yaml", env: {}, readFile: missing, ...options });
}

/** Line, column, path and message of each problem. */
export function shownProblems({ problems }: DeclarativeFile): string[] {
  return problems.map(({ line, column, path, message }) => {
    return `${line}:${column} ${path === "" ? "" : `${path}: `}${message}`;
  });
}

function missing(): never {
  throw new Error("doesn't exist.");
}
