import type { FileProblem } from "../../core/declare/file/declarative-file.ts";
import type { Outcome } from "../../core/reconcile/file/outcome.ts";
import type { PlanReport } from "../../core/reconcile/file/plan-report.ts";
import type { Redactor } from "../../core/redact.ts";
import type { Result } from "../operations.ts";
import { publicChange } from "../report.ts";

/** What is known of one deployment. */
export interface DeploymentState {
  name: string;
  id?: string | undefined;
  /** The revision that this run made or followed. */
  revisionId?: string | undefined;
  /** Address of the agent server, without credentials. */
  url?: string | undefined;
  webUrl?: string | undefined;
  /** Last status of the revision. */
  status?: string | undefined;
  /** `undefined` until it has ended. */
  result?: Outcome["result"] | undefined;
  /** Why it isn't live, or what continues. */
  message?: string | undefined;
  durationMs?: number | undefined;
}

/** What is known about a run of a file. Publish it through {@link publicFileReport}. */
export interface FileReport {
  result?: Result;
  /** The file and what part of it: `graphdeploy.yaml (staging)`. */
  title: string;
  /** Tells the comment apart from that of another file or environment. */
  subject: string;
  isPreview: boolean;
  /** By key; what a file no longer declares by its name. */
  deployments: Map<string, DeploymentState>;
  plan?: PlanReport;
  /** How many deployments a plan would change, or a run has changed. */
  changes?: number;
  /** What a reader of the plan should know beside it. */
  notes: string[];
  problems: readonly FileProblem[];
  /** What happened, in one or two sentences. */
  message?: string;
  runUrl: string;
}

/**
 * A copy of the report to publish. Keys, names, ids and addresses are public and stay unchanged, even if a secret occurs
 * in them.
 * @param declaredSecrets the values that the file got or declares as secrets
 * @param allSecrets those and the values that only the platform has, which its messages may quote
 */
export function publicFileReport(
  report: FileReport,
  declaredSecrets: Redactor,
  allSecrets = declaredSecrets,
): FileReport {
  const { message, plan, deployments, notes, problems } = report;
  const state = (one: DeploymentState): DeploymentState =>
    one.message === undefined ? one : { ...one, message: allSecrets.text(one.message) };
  return {
    ...report,
    ...(message === undefined ? {} : { message: allSecrets.text(message) }),
    deployments: new Map([...deployments].map(([key, one]) => [key, state(one)])),
    ...(plan === undefined ? {} : { plan: publicPlan(plan, declaredSecrets, allSecrets) }),
    notes: notes.map((note) => allSecrets.text(note)),
    problems: problems.map((problem) => ({ ...problem, message: allSecrets.text(problem.message) })),
  };
}

function publicPlan(plan: PlanReport, declaredSecrets: Redactor, allSecrets: Redactor): PlanReport {
  return {
    ...plan,
    deployments: plan.deployments.map((planned) => ({
      ...planned,
      changes: planned.changes.map((change) => publicChange(change, declaredSecrets)),
      content: planned.content.map((change) => ({ ...change, name: declaredSecrets.text(change.name) })),
      notes: planned.notes.map((note) => allSecrets.text(note)),
      refusal: planned.refusal === undefined ? undefined : allSecrets.text(planned.refusal),
    })),
  };
}

/** Every output of a run with a file; unknown ones stay empty. */
export const fileOutputs: Readonly<Record<string, (report: FileReport) => string | undefined>> = {
  result: ({ result }) => result,
  deployments: ({ deployments }) =>
    deployments.size === 0 ? undefined : JSON.stringify(deploymentsRecord(deployments)),
  changes: ({ changes }) => (changes === undefined ? undefined : String(changes)),
  plan: ({ plan }) => plan && JSON.stringify(plan),
};

function deploymentsRecord(deployments: FileReport["deployments"]) {
  const fields = ({ id, revisionId, url, result }: DeploymentState) => ({ id, revision_id: revisionId, url, result });
  return Object.fromEntries([...deployments].map(([key, state]) => [key, fields(state)]));
}
