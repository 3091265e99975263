// The last line of a CI run, from vitest's report: `tests: N passed, N failed, N skipped`.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { checkout } from "./run-command.ts";

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly { readonly status: string; readonly assertionResults: readonly unknown[] }[];
}

async function readReport(): Promise<Report | undefined> {
  try {
    return JSON.parse(await readFile(join(checkout, ".cache", "vitest-report.json"), "utf8")) as Report;
  } catch {
    return undefined;
  }
}

const report = await readReport();
// A file that can't be loaded has no tests to count, and a run without a report failed as a whole: each counts as one
// failure.
const brokenFiles = report?.testResults.filter(
  (file) => file.status === "failed" && file.assertionResults.length === 0,
);
const failed = report === undefined ? 1 : report.numFailedTests + (brokenFiles?.length ?? 0);
const skipped = report === undefined ? 0 : report.numPendingTests + report.numTodoTests;
process.stdout.write(`tests: ${report?.numPassedTests ?? 0} passed, ${failed} failed, ${skipped} skipped\n`);
if (failed > 0) process.exitCode = 1;
