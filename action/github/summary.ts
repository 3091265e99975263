import type { Redactor } from "../../core/redact.ts";
import { code } from "../markdown.ts";
import { publicReport, type Report } from "../report.ts";
import type { Runner } from "../runner.ts";
import { facts, headline, logTail, message, paragraphs, plan, steps, timeline } from "./report-markdown.ts";

/** GitHub drops a job summary over 1 MiB, which all steps of the job share. */
const maxSummaryBytes = 256 * 1024;

/** Bytes that a table of a summary may take. */
export const maxTableBytes = 64 * 1024;

/** The summary of one run, redacted by {@link publicReport} and truncated to fit. */
export function renderSummary(given: Report, declaredSecrets: Redactor, allSecrets = declaredSecrets): string {
  const report = publicReport(given, declaredSecrets, allSecrets);
  const swept =
    report.swept === undefined || report.swept.length === 0 ? "" : `Deleted: ${report.swept.map(code).join(", ")}`;
  const text = paragraphs([
    `### ${headline(report)}`,
    allSecrets.text(message(report)),
    facts(report),
    swept,
    declaredSecrets.text(plan(report, maxTableBytes)),
    steps(report),
    timeline(report),
    allSecrets.text(logTail(report, 64 * 1024)),
  ]);
  return withinSummary(text);
}

/** Ends a step's summary, and cuts it to its share of the job's. */
export function withinSummary(text: string): string {
  const bytes = Buffer.from(`${text}\n\n`);
  if (bytes.length <= maxSummaryBytes) return bytes.toString();
  return `${bytes
    .subarray(0, maxSummaryBytes - 100)
    .toString()
    .replace(/\ufffd+$/, "")}\n\n… cut: the rest is in the log.\n\n`;
}

/** Appends the run's summary to the job's. */
export async function writeSummary(
  runner: Runner,
  report: Report,
  declaredSecrets: Redactor,
  allSecrets: Redactor,
): Promise<void> {
  await runner.summary.addRaw(renderSummary(report, declaredSecrets, allSecrets)).write();
}
