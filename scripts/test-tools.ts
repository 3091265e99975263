/** Folders whose tests run the real Pulumi CLI. */
const pulumiFolders = /test\/system\/?($|pulumi|examples|kit|provider)/;
/** Folders whose tests open pages in a browser. */
const browserFolders = /test\/system\/?($|browser|docs)/;

/**
 * Whether a test run may include tests that use the real Pulumi CLI: a run of the whole suite, of the project `system`,
 * or of a folder with such tests.
 *
 * @param args the arguments of vitest
 */
export function usesPulumi(args: readonly string[]): boolean {
  return mayHold(args, pulumiFolders);
}

/**
 * Whether a test run may include tests in a browser.
 *
 * @param args the arguments of vitest
 */
export function usesBrowser(args: readonly string[]): boolean {
  return mayHold(args, browserFolders);
}

function mayHold(args: readonly string[], folders: RegExp): boolean {
  const projects = args.flatMap((arg, index) => {
    if (arg.startsWith("--project=")) return [arg.slice("--project=".length)];
    return args[index - 1] === "--project" ? [arg] : [];
  });
  if (projects.length > 0 && !projects.includes("system")) return false;
  const filters = args.filter((arg) => !arg.startsWith("-") && arg.includes("test"));
  return filters.length === 0 || filters.some((filter) => folders.test(filter));
}
