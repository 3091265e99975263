import { posix } from "node:path";

/** A file or folder of the project that its graph configuration file names. */
interface SourceReference {
  /** The place in the configuration file, such as `graphs.agent`. */
  at: string;
  /** Relative to the folder of the configuration file. */
  path: string;
}

type Fields = Record<string, unknown>;

/**
 * Describes the files that a graph configuration file names and its tarball lacks, one sentence each. Compares names
 * only: loading shows whether modules have the exports.
 * @param configPath path of the configuration file, normalized like `files`
 */
export function missingReferences(config: Fields, configPath: string, files: readonly string[]): string[] {
  const folder = posix.dirname(configPath);
  return referencesOf(config).flatMap(({ at, path }) => {
    const target = posix.normalize(posix.join(folder, path)).replace(/\/$/, "");
    if (target === ".." || target.startsWith("../") || posix.isAbsolute(path)) {
      return `${at} names ${path}, which lies outside the archive's folder`;
    }
    const isThere = target === "." || files.some((file) => file === target || file.startsWith(`${target}/`));
    return isThere ? [] : `${at} names ${path}, which isn't in the archive: add the file, or correct the path`;
  });
}

function referencesOf(config: Fields): SourceReference[] {
  const part = (key: string): Fields => (isFields(config[key]) ? config[key] : {});
  const graphs = Object.entries(part("graphs")).flatMap(([id, graph]) =>
    exported(`graphs.${id}`, isFields(graph) ? graph.path : graph),
  );
  const dependencies = Array.isArray(config.dependencies) ? config.dependencies : [];
  return [
    ...graphs,
    ...exported("auth.path", part("auth").path),
    ...exported("http.app", part("http").app),
    ...(typeof config.env === "string" ? [{ at: "env", path: config.env }] : []),
    ...dependencies
      .filter((path): path is string => typeof path === "string" && /^\.{1,2}(\/|$)/.test(path))
      .map((path) => ({ at: "dependencies", path })),
  ];
}

/**
 * The file of a reference `./file.ts:export`; none for the dotted name of a Python module, which only Python can
 * resolve.
 */
function exported(at: string, reference: unknown): SourceReference[] {
  if (typeof reference !== "string") return [];
  const path = reference.replace(/:[^:/\\]*$/, "");
  return /[/\\]|\.([cm]?[jt]sx?|py)$/.test(path) ? [{ at, path }] : [];
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
