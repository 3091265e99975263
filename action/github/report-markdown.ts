import { revisionStatuses } from "../../core/client/wire/revisions.ts";
import { formatDuration } from "../../core/time.ts";
import { shownPath } from "../input-names.ts";
import { code, codeBlock, escapeMarkdown, lastLinesWithin, link } from "../markdown.ts";
import type { Result } from "../operations.ts";
import type { Report } from "../report.ts";

export const signs: Readonly<Record<Result, string>> = {
  deployed: "✅ is live",
  started: "🚀 is rolling out",
  failed: "❌ failed",
  superseded: "⏭️ was superseded",
  interrupted: "⏸️ was interrupted",
  "timed-out": "⏱️ is not live yet",
  cancelled: "⏹️ was cancelled",
  skipped: "➖ was skipped",
  planned: "📋 plan",
  deleted: "🗑️ was deleted",
};

/** The headline of a run: `**support-agent** ✅ is live`. */
export function headline({ name, result }: Report): string {
  return `**${escapeMarkdown(name)}** ${result === undefined ? "⏳ is in progress" : signs[result]}`;
}

/** The facts of a run as a table of two columns. */
export function facts(report: Report): string {
  const rows: [string, string][] = [];
  const add = (label: string, value: string | undefined) => {
    if (value !== undefined) rows.push([label, value]);
  };
  const { url, webUrl, deploymentId, revisionId, status, ref, commit, expectedCommit, rolledBackTo } = report;
  add("URL", url && link(code(url), url));
  add("Deployment", deploymentId && (webUrl ? link(code(deploymentId), webUrl) : code(deploymentId)));
  add("Revision", revisionId && `${code(revisionId)}${status ? ` (${escapeMarkdown(status)})` : ""}`);
  add("Ref", ref && code(ref));
  add("Commit", commit ? code(commit) : expectedCommit && code(expectedCommit));
  if (commit !== undefined && expectedCommit !== undefined && commit !== expectedCommit) {
    add("Expected commit", `${code(expectedCommit)}: the branch moved, and a newer push won`);
  }
  add("Rolled back to", rolledBackTo && code(rolledBackTo));
  add("Run", link("log of the run", report.runUrl));
  return ["| | |", "|---|---|", ...rows.map(([label, value]) => `| ${label} | ${value} |`)].join("\n");
}

/** The run's message as a quote; empty if there is none. */
export function message({ message: text }: Report): string {
  return text === undefined ? "" : `> ${escapeMarkdown(text)}`;
}

/** A table of the statuses with their durations. */
export function steps({ steps: list }: Report): string {
  if (list.length === 0) return "";
  const rows = list.map(({ status, durationMs }) => `| ${escapeMarkdown(status)} | ${formatDuration(durationMs)} |`);
  return ["| Status | Duration |", "|---|---|", ...rows].join("\n");
}

/** A Gantt chart of the statuses, in seconds since the first: a clock time would be shown in the reader's time zone. */
export function timeline({ steps: list }: Report): string {
  const [first] = list;
  if (first === undefined || list.length < 2) return "";
  const bars = list.map(({ status, startedAtMs, durationMs }) => {
    const from = startedAtMs - first.startedAtMs;
    const kind = status.includes("FAILED") ? "crit" : status === "DEPLOYED" ? "done" : "active";
    return `  ${taskName(status)} :${kind}, ${from}, ${from + Math.max(1, durationMs)}`;
  });
  return ["```mermaid", "gantt", "  dateFormat x", "  axisFormat %s s", "  section Rollout", ...bars, "```"].join("\n");
}

/**
 * A status as the name of a task. An unknown one gets a prefix: it might be a keyword of the diagram's syntax, a date
 * or empty.
 */
function taskName(status: string): string {
  if ((revisionStatuses as readonly string[]).includes(status)) return status;
  return `Status ${
    status
      .replace(/[^A-Za-z0-9_ ]/g, " ")
      .slice(0, 60)
      .trim() || "unknown"
  }`;
}

/** The end of the log, collapsed; at most `bytes` long. */
export function logTail({ logTail: lines }: Report, bytes: number): string {
  if (lines.length === 0) return "";
  const block = codeBlock(lastLinesWithin(lines, bytes));
  return `<details><summary>The last lines of the log</summary>\n\n${block}\n\n</details>`;
}

/** A table of what would change, and why; at most about `bytes` long. */
export function plan({ plan: planned }: Report, bytes: number): string {
  if (planned === undefined) return "";
  if (planned.changes.length === 0) return `Planned: **${escapeMarkdown(planned.action)}**, no differences.`;
  const show = (value: unknown) => (value === undefined ? "" : code(JSON.stringify(value)));
  const rows = planned.changes.map(
    ({ path, from, to, reason }) =>
      `| ${code(shownPath(path))} | ${show(from)} | ${show(to)} | ${escapeMarkdown(reason)} |`,
  );
  return [
    `Planned: **${escapeMarkdown(planned.action)}**`,
    "",
    "| Field | Now | Then | Effect |",
    "|---|---|---|---|",
    ...lastLinesWithin(rows, bytes),
  ].join("\n");
}

/** Joins the parts that aren't empty. */
export function paragraphs(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("\n\n");
}
