/** Folders whose tests run the built package or the real Pulumi CLI. */
const packageFolders = /clients|docs|e2e|support|provider|examples|regressions|model|test\/package/;
/** Folders whose tests open pages in a browser. */
const browserFolders = /browser|docs/;

function mayHold(args: readonly string[], folders: RegExp): boolean {
  const filters = args.filter((arg) => !arg.startsWith("-") && arg.includes("test"));
  return filters.length === 0 || filters.some((filter) => folders.test(filter));
}

/**
 * Whether a test run may hold tests of the built package: a full run, or one whose filters name a folder with such tests.
 *
 * @param args the arguments of vitest
 */
export function usesPackage(args: readonly string[]): boolean {
  return mayHold(args, packageFolders);
}

/**
 * Whether a test run may hold tests in a browser, in the same way.
 *
 * @param args the arguments of vitest
 */
export function usesBrowser(args: readonly string[]): boolean {
  return mayHold(args, browserFolders);
}
