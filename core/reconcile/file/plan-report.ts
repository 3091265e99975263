import { wirePath } from "../../declare/file/declaration.ts";
import type { ContentChange } from "../agent-content.ts";
import type { Change } from "../plan.ts";
import type { PlannedDeployment } from "./declared.ts";
import type { FilePlan } from "./plan.ts";

/** How many deployments a plan creates, rolls out and so on. */
export interface PlanSummary {
  create: number;
  revision: number;
  /** Those whose agent server's content changes among them. */
  patch: number;
  delete: number;
  unchanged: number;
  follow: number;
  refused: number;
}

/** A plan as JSON, under the names of the wire. */
export interface PlanReport {
  deployments: readonly PlannedReport[];
  undeclared: readonly { id: string; name: string }[];
  prunes: boolean;
  summary: PlanSummary;
}

interface PlannedReport {
  key: string;
  name: string;
  action: PlannedDeployment["action"];
  deployment_id: string | undefined;
  changes: readonly Change[];
  content: readonly ContentChange[];
  notes: readonly string[];
  refusal: string | undefined;
  depends_on: readonly string[];
}

/** What happens to a deployment: its action, or a change in place where only its agent server's content changes. */
export function effectOf({ action, content }: Pick<PlannedDeployment, "action" | "content">): keyof PlanSummary {
  if (action === "nothing") return content.length > 0 ? "patch" : "unchanged";
  return action;
}

export function planSummary({ deployments, undeclared, prunes }: FilePlan): PlanSummary {
  const effects = deployments.map(effectOf);
  const count = (effect: keyof PlanSummary) => effects.filter((other) => other === effect).length;
  return {
    create: count("create"),
    revision: count("revision"),
    patch: count("patch"),
    delete: prunes ? undeclared.length : 0,
    unchanged: count("unchanged"),
    follow: count("follow"),
    refused: count("refused"),
  };
}

/** A plan to be printed or passed on. Nothing in it is redacted. */
export function planReport(plan: FilePlan): PlanReport {
  return {
    deployments: plan.deployments.map(plannedReport),
    undeclared: plan.undeclared.map(({ id, name }) => ({ id, name })),
    prunes: plan.prunes,
    summary: planSummary(plan),
  };
}

function plannedReport(planned: PlannedDeployment): PlannedReport {
  const { key, name, action, changes, content, notes, refusal, deployment, dependsOn } = planned;
  return {
    key,
    name,
    action,
    deployment_id: deployment?.id,
    changes: changes.map(({ path, ...change }) => ({ path: wirePath(path), ...change })),
    content,
    notes,
    refusal,
    depends_on: dependsOn,
  };
}
