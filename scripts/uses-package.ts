/** Folders whose tests run the built package or the real Pulumi CLI. */
const folders = /e2e|support|provider|examples|regressions/;

/**
 * Whether a test run may hold tests of the built package: a full run, or one whose filters name a folder with such tests.
 *
 * @param args the arguments of vitest
 */
export function usesPackage(args: readonly string[]): boolean {
  const filters = args.filter((arg) => !arg.startsWith("-") && arg.includes("test"));
  return filters.length === 0 || filters.some((filter) => folders.test(filter));
}
