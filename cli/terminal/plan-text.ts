import { styleText } from "node:util";
import { wirePath } from "../../core/declare/file/declaration.ts";
import type { ContentChange } from "../../core/reconcile/agent-content.ts";
import type { PlannedDeployment } from "../../core/reconcile/file/declared.ts";
import type { FilePlan } from "../../core/reconcile/file/plan.ts";
import { effectOf, type PlanSummary, planSummary } from "../../core/reconcile/file/plan-report.ts";
import type { Change } from "../../core/reconcile/plan.ts";

const verbs = {
  create: ["+", "green", "create"],
  revision: ["~", "yellow", "roll out a new revision"],
  patch: ["~", "yellow", "change in place"],
  follow: ["…", "cyan", "follow the rollout in progress"],
  unchanged: [" ", "dim", "unchanged"],
  refused: ["!", "red", "refused"],
  delete: ["-", "red", "delete"],
} as const;

/** A plan for human readers: what happens to each deployment and why, and a line that sums it up. */
export function planText(plan: FilePlan, text: (text: string) => string): string {
  const deployments = plan.deployments.map((planned) => deploymentText(planned, text));
  const undeclared = undeclaredText(plan, text);
  return [...deployments, ...undeclared, "", summaryLine(planSummary(plan)), ""].join("\n");
}

function summaryLine({ create, revision, patch, delete: deleted, unchanged, follow, refused }: PlanSummary): string {
  const parts = [
    `${create} to create`,
    `${revision} to roll out`,
    `${patch} to change in place`,
    `${deleted} to delete`,
    `${unchanged} unchanged`,
    ...(follow === 0 ? [] : [`${follow} to follow`]),
    ...(refused === 0 ? [] : [`${refused} refused`]),
  ];
  return `${styleText("bold", "Plan:")} ${parts.join(", ")}`;
}

function deploymentText(planned: PlannedDeployment, text: (text: string) => string): string {
  const { key, name, changes, content, notes, refusal, dependsOn } = planned;
  const effect = effectOf(planned);
  const isChange = effect !== "unchanged" && effect !== "refused";
  const lines = [
    ...(refusal === undefined ? changes.map(changeLine) : [refusal]),
    ...content.map(contentLine),
    ...notes,
    ...(isChange && dependsOn.length > 0 ? [`after ${dependsOn.join(", ")}`] : []),
  ];
  return [
    heading(effect, key === name ? key : `${key} (${name})`, text),
    ...lines.map((line) => `    ${text(line)}`),
  ].join("\n");
}

function heading(effect: keyof PlanSummary, label: string, text: (text: string) => string): string {
  const [symbol, color, verb] = verbs[effect];
  return styleText(color, `${symbol} ${text(label)}: ${verb}`);
}

function changeLine({ path, reason, from, to }: Change): string {
  if (path === "triggers") return reason;
  // Plain variables and secrets are one list on the platform.
  if (path === "secrets") return `environment: ${reason.replace(/; rolls out a new revision$/, "")}`;
  if (to === undefined && from === undefined) return `${wirePath(path)}: ${reason}`;
  const before = from === undefined || from === null ? "" : `${shown(from)} → `;
  return `${wirePath(path)}: ${before}${shown(to)}`;
}

function shown(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function contentLine({ kind, name, action, fields }: ContentChange): string {
  return `${kind} ${name}: ${action}${fields.length === 0 ? "" : ` (${fields.join(", ")})`}`;
}

function undeclaredText({ undeclared, prunes }: FilePlan, text: (text: string) => string): string[] {
  if (undeclared.length === 0) return [];
  if (!prunes) {
    const names = undeclared.map(({ name }) => name).join(", ");
    return [text(`  No longer declared, and kept without --prune: ${names}`)];
  }
  return undeclared.map(({ id, name }) =>
    [heading("delete", name, text), `    ${text(`no longer declared: ${id}, with its threads and store`)}`].join("\n"),
  );
}
