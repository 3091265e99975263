import type { Redactor } from "../core/redact.ts";
import type { Deployment } from "../core/wire/deployment.ts";

/** A deployment as the platform describes it, but for what may be secret: of its environment the names alone. */
export type DeploymentRecord = Readonly<Record<string, unknown>>;

/** Fields that the platform computes, or that the run names itself. No part of them is a secret, whatever they have in common with one. */
const computed = [
  ...["id", "name", "source", "status", "tenant_id", "created_at", "updated_at"],
  ...["latest_revision_id", "active_revision_id"],
] as const;

export function recordOf(deployment: Deployment, redactor: Redactor): DeploymentRecord {
  const { secrets, ...rest } = deployment;
  const record = redactor.deep(withoutUserInfo(rest)) as Record<string, unknown>;
  for (const name of computed) if (name in rest) record[name] = rest[name];
  return { ...record, secrets: (secrets ?? []).map(({ name }) => ({ name })) };
}

/** Addresses without the user name and password that somebody may have put into them. */
function withoutUserInfo(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_, field: unknown) =>
    typeof field === "string" ? field.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#\s]*@/i, "$1") : field,
  );
}
