import type { Effect } from "../core/declare/fields.ts";
import type { Change } from "../core/reconcile/plan.ts";
import type { Redactor } from "../core/redact.ts";
import { type DeploymentRecord, publicRecord } from "./deployment-record.ts";
import type { Result } from "./operations.ts";
import { publicUrl } from "./public-url.ts";

/** One status of the rollout and how long it lasted. `durationMs` is missing for the one that it ended or was left in. */
export interface StatusStep {
  status: string;
  startedAtMs: number;
  durationMs: number;
}

/** One field that a deploy would change, or set at the creation. */
export interface PlannedChange extends Omit<Change, "effect"> {
  effect: Effect | "create";
}

/** What is known about the run so far: what the outputs, the summary and the comment are made from. Published through {@link publicReport}. */
export interface Report {
  result?: Result;
  /** What the run does, human-readable: `deploy`, `preview of #12`. */
  task: string;
  name: string;
  isPreview: boolean;
  deploymentId?: string;
  revisionId?: string;
  url?: string;
  webUrl?: string;
  ref?: string;
  /** The commit that the run was for. */
  expectedCommit?: string;
  /** The commit that the revision was made of. */
  commit?: string;
  status?: string;
  created?: boolean;
  steps: StatusStep[];
  /** In a word or two sentences what happened, above all why it failed. */
  message?: string;
  logTail: readonly string[];
  plan?: { action: string; changes: readonly PlannedChange[] };
  /** The platform's record of the deployment, without the values of its environment. */
  deployment?: DeploymentRecord;
  /** The end of what was shown of the revision's logs. */
  log?: string;
  /** The revision that a failed one was rolled back to. */
  rolledBackTo?: string;
  /** Previews that a sweep deleted. */
  swept?: readonly string[];
  runUrl: string;
}

/**
 * The report as it may be published. Its name, ids, addresses and statuses are what the platform computed, or what everybody knows, and stay as they
 * are: a secret that is part of them is none there. What others wrote is redacted before it is escaped or cut, because neither an escaped value nor
 * half of one is recognized.
 *
 * @param declaredSecrets the values declared as secrets
 * @param allSecrets these and what only the platform has, which texts of the platform may quote
 */
export function publicReport(report: Report, declaredSecrets: Redactor, allSecrets = declaredSecrets): Report {
  const { ref, message, status, steps, logTail, plan, deployment } = report;
  const publicStatus = (text: string) => (/^[A-Z_]+$/.test(text) ? text : allSecrets.text(text));
  return {
    ...report,
    ...(ref !== undefined && { ref: declaredSecrets.text(ref) }),
    ...(message !== undefined && { message: allSecrets.text(message) }),
    ...(status !== undefined && { status: publicStatus(status) }),
    steps: steps.map((step) => ({ ...step, status: publicStatus(step.status) })),
    logTail: logTail.length === 0 ? [] : allSecrets.text(logTail.join("\n")).split("\n"),
    ...(deployment && { deployment: publicRecord(deployment, declaredSecrets) }),
    ...(plan && { plan: { ...plan, changes: plan.changes.map((change) => publicChange(change, declaredSecrets)) } }),
  };
}

/** The path is ours, and so is the reason but for the names in it. */
function publicChange({ from, to, ...change }: PlannedChange, declaredSecrets: Redactor): PlannedChange {
  return {
    ...change,
    ...(from === undefined ? {} : { from: publicValue(from, declaredSecrets) }),
    ...(to === undefined ? {} : { to: publicValue(to, declaredSecrets) }),
    reason: declaredSecrets.text(change.reason),
  };
}

function publicValue(value: unknown, declaredSecrets: Redactor): unknown {
  return declaredSecrets.deep(typeof value === "string" ? publicUrl(value) : value);
}
