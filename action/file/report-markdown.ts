import { effectOf, type PlanReport, type PlanSummary } from "../../core/reconcile/file/plan-report.ts";
import type { Redactor } from "../../core/redact.ts";
import { formatDuration } from "../../core/time.ts";
import { paragraphs, signs } from "../github/report-markdown.ts";
import { code, escapeMarkdown, firstLinesWithin, link } from "../markdown.ts";
import { type DeploymentState, type FileReport, publicFileReport } from "./report.ts";

const verbs: Readonly<Record<keyof PlanSummary, string>> = {
  create: "➕ create",
  revision: "🚀 new revision",
  patch: "✏️ change in place",
  delete: "🗑️ delete",
  unchanged: "unchanged",
  follow: "⏳ follow the rollout in progress",
  refused: "⛔ refused",
};

/** Changes of one deployment that the table shows; the log has all. */
const maxLines = 12;

/** Characters of a value that the table shows. */
const maxValueLength = 60;

const results: Readonly<Record<NonNullable<DeploymentState["result"]>, string>> = {
  created: "✅ created",
  updated: "✅ updated",
  unchanged: "✅ unchanged",
  deleted: "🗑️ deleted",
  failed: "❌ failed",
  skipped: "➖ skipped",
  interrupted: "⏹️ interrupted",
};

/** The report of a run, redacted; its tables take at most about `bytes`. */
export function renderFileReport(
  report: FileReport,
  bytes: number,
  declaredSecrets: Redactor,
  allSecrets = declaredSecrets,
): string {
  const shown = publicFileReport(report, declaredSecrets, allSecrets);
  const { title, result, message, notes, runUrl } = shown;
  const sign = result === undefined ? "⏳ is in progress" : signs[result];
  return paragraphs([
    `### **${escapeMarkdown(title)}** ${sign}`,
    message === undefined ? "" : allSecrets.text(`> ${escapeMarkdown(message)}`),
    problemList(shown, bytes),
    outcomeTable(shown, bytes),
    // Joining and escaping may produce a secret that the parts didn't contain.
    shown.plan === undefined || hasEnded(shown) ? "" : declaredSecrets.text(planTable(shown.plan, bytes)),
    ...notes.map((note) => allSecrets.text(escapeMarkdown(note))),
    link("log of the run", runUrl),
  ]);
}

/** Whether deployments were changed, so that their outcomes say more than the plan. */
function hasEnded({ deployments }: FileReport): boolean {
  return [...deployments.values()].some(({ result }) => result !== undefined);
}

function problemList({ problems }: FileReport, bytes: number): string {
  const lines = problems.map(
    ({ file, line, column, path, message }) =>
      `- ${code(`${file}:${line}:${column}`)} ${path === "" ? "" : `${code(path)} `}${escapeMarkdown(message)}`,
  );
  return firstLinesWithin(lines, bytes).join("\n");
}

/** `2 to create, 1 unchanged`. */
export function summaryText({
  create,
  revision,
  patch,
  delete: deleted,
  unchanged,
  follow,
  refused,
}: PlanSummary): string {
  const parts: [number, string][] = [
    [create, "to create"],
    [revision, "to roll out"],
    [patch, "to change in place"],
    [deleted, "to delete"],
    [follow, "to follow"],
    [refused, "refused"],
    [unchanged, "unchanged"],
  ];
  const shown = parts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  return shown.length === 0 ? "nothing is declared" : shown.join(", ");
}

/** A change for the log, as one line. */
export function changeText({ path, reason }: PlanReport["deployments"][number]["changes"][number]): string {
  if (path === "triggers") return reason;
  // Plain variables and secrets are one list on the platform.
  return `${path === "secrets" ? "environment" : path}: ${reason}`;
}

function planTable({ deployments, undeclared, prunes, summary }: PlanReport, bytes: number): string {
  const show = (value: unknown) => code(shortened(typeof value === "string" ? value : JSON.stringify(value)));
  const change = (one: PlanReport["deployments"][number]["changes"][number]) => {
    const { from, to } = one;
    if (from === undefined && to === undefined) return escapeMarkdown(changeText(one));
    return `${code(one.path)}: ${from === undefined || from === null ? "" : `${show(from)} → `}${show(to)}`;
  };
  const rows = deployments
    .filter((planned) => effectOf(planned) !== "unchanged" || planned.notes.length > 0)
    .map((planned) => {
      const { key, name, content, notes, refusal, depends_on: dependsOn } = planned;
      const lines = [
        ...(refusal === undefined ? planned.changes.map(change) : [escapeMarkdown(refusal)]),
        ...content.map(({ kind, name: what, action }) => `${kind} ${code(what)}: ${action}`),
        ...notes.map(escapeMarkdown),
        ...(dependsOn.length === 0 ? [] : [`after ${dependsOn.map(code).join(", ")}`]),
      ];
      const more = lines.length > maxLines ? [`… and ${lines.length - maxLines} more`] : [];
      const cell = [...lines.slice(0, maxLines), ...more].join("<br>");
      return `| ${labelOf(key, name)} | ${verbs[effectOf(planned)]} | ${cell} |`;
    });
  const table =
    rows.length === 0
      ? ""
      : ["| Deployment | Plan | Changes |", "|---|---|---|", ...firstLinesWithin(rows, bytes)].join("\n");
  const names = undeclared.map(({ name }) => code(name)).join(", ");
  const left = names === "" ? "" : `No longer declared, and ${prunes ? "deleted" : "kept"}: ${names}`;
  return paragraphs([table, `Plan: ${summaryText(summary)}.`, left]);
}

function shortened(text: string): string {
  return text.length <= maxValueLength ? text : `${text.slice(0, maxValueLength).toWellFormed()}…`;
}

function outcomeTable({ deployments }: FileReport, bytes: number): string {
  const begun = [...deployments].filter(
    ([, { result, revisionId }]) => result !== undefined || revisionId !== undefined,
  );
  if (begun.length === 0) return "";
  const rows = begun.map(([key, state]) => {
    const { name, result, status, durationMs, url, message } = state;
    const how = result === undefined ? `⏳ ${escapeMarkdown(status ?? "in progress")}` : results[result];
    const duration = durationMs ? ` (${formatDuration(durationMs)})` : "";
    const said = [url === undefined ? "" : link(code(url), url), message === undefined ? "" : escapeMarkdown(message)];
    return `| ${labelOf(key, name)} | ${how}${duration} | ${revisionOf(state)} | ${said.filter(Boolean).join("<br>")} |`;
  });
  return ["| Deployment | Result | Revision | |", "|---|---|---|---|", ...firstLinesWithin(rows, bytes)].join("\n");
}

function revisionOf({ revisionId, webUrl }: DeploymentState): string {
  if (revisionId === undefined) return "";
  return webUrl === undefined ? code(revisionId) : link(code(revisionId), webUrl);
}

function labelOf(key: string, name: string): string {
  return key === name ? code(key) : `${code(key)} (${code(name)})`;
}
