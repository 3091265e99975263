import type { Change, Effect } from "../core/plan.ts";
import type { Redactor } from "../core/redact.ts";
import type { DeploymentRecord } from "./deployment-record.ts";
import type { Result } from "./operations.ts";

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

/** What is known about the run so far: what the outputs, the summary and the comment are made from. Its texts are redacted when written. */
export interface Report {
  result?: Result;
  /** What the run was asked to do, for people: `deploy`, `preview of #12`. */
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
 * The report with its texts redacted. That comes before they are escaped or cut: neither an escaped value nor the half of one is recognized.
 * What is of our own making, such as the result, stays as it is.
 */
export function redactReport(report: Report, redactor: Redactor): Report {
  const { steps, logTail, plan, swept } = report;
  const texts = Object.entries(report)
    .filter(([name]) => name !== "result")
    .map(([name, value]) => [name, typeof value === "string" ? redactor.text(value) : value]);
  return {
    ...report,
    ...Object.fromEntries(texts),
    steps: steps.map((step) => ({ ...step, status: redactor.text(step.status) })),
    logTail: logTail.length === 0 ? [] : redactor.text(logTail.join("\n")).split("\n"),
    ...(plan && {
      plan: { action: plan.action, changes: plan.changes.map((change) => redactChange(change, redactor)) },
    }),
    ...(swept && { swept: swept.map((name) => redactor.text(name)) }),
  };
}

function redactChange({ path, from, to, reason, ...rest }: PlannedChange, redactor: Redactor): PlannedChange {
  return {
    ...rest,
    path: redactor.text(path),
    from: redactor.deep(from),
    to: redactor.deep(to),
    reason: redactor.text(reason),
  };
}
