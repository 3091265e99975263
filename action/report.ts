import type { Change } from "../core/reconcile/plan.ts";
import type { Redactor } from "../core/redact.ts";
import { type DeploymentRecord, publicRecord } from "./deployment-record.ts";
import type { Result } from "./operations.ts";
import { publicUrl } from "./public-url.ts";

/** One status of the rollout and how long it lasted; `durationMs` is 0 until it ends. */
export interface StatusStep {
  status: string;
  startedAtMs: number;
  durationMs: number;
}

/**
 * What is known about the run so far, the source of outputs, summary and comment. Publish it through {@link
 * publicReport}.
 */
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
  /** The commit that the revision was built from. */
  commit?: string;
  status?: string;
  created?: boolean;
  steps: StatusStep[];
  /** What happened, in one or two sentences, especially why the run failed. */
  message?: string;
  logTail: readonly string[];
  plan?: { action: string; changes: readonly Change[] };
  /** The platform's view of the deployment, without the values of its environment. */
  deployment?: DeploymentRecord;
  /** The end of the revision's logs that the run printed. */
  log?: string;
  /** The revision that a failed one was rolled back to. */
  rolledBackTo?: string;
  /** Previews that a sweep deleted. */
  swept?: readonly string[];
  runUrl: string;
}

/**
 * A copy of the report to publish. Name, ids, addresses and statuses are public and stay unchanged, even if a secret
 * occurs in them. Everything else is redacted before it is escaped or truncated, because neither an escaped value nor
 * half of one is recognized.
 *
 * @param declaredSecrets the values declared as secrets
 * @param allSecrets those and the values that only the platform has, which its messages may quote
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

/** The path is never secret; the reason may contain names that are. */
export function publicChange({ from, to, ...change }: Change, declaredSecrets: Redactor): Change {
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
