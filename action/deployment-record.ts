import type { Deployment } from "../core/client/wire/deployments.ts";
import type { Redactor } from "../core/redact.ts";
import { publicUrl } from "./public-url.ts";

/** A deployment as the platform describes it, but for what may be secret: of its environment the names alone. */
export type DeploymentRecord = Readonly<Record<string, unknown>>;

/** Fields that the platform computes, or that the run names itself. No part of them is a secret, whatever they have in common with one. */
const computed = [
  ...["id", "name", "source", "status", "tenant_id", "created_at", "updated_at"],
  ...["latest_revision_id", "active_revision_id"],
] as const;

export function recordOf(deployment: Deployment): DeploymentRecord {
  const { secrets, ...rest } = deployment;
  const { custom_url: url } = rest.source_config;
  const address = url === undefined || url === null ? {} : { custom_url: publicUrl(url) };
  const record = withoutUserInfo({ ...rest, source_config: { ...rest.source_config, ...address } });
  return { ...(record as object), secrets: (secrets ?? []).map(({ name }) => ({ name })) };
}

/** A record as it may be published: what others wrote into it without the declared secrets. */
export function publicRecord(record: DeploymentRecord, declaredSecrets: Redactor): DeploymentRecord {
  const shown = declaredSecrets.deep(record) as Record<string, unknown>;
  for (const name of computed) if (name in record) shown[name] = record[name];
  const config = shown.source_config as Record<string, unknown>;
  const { custom_url: url } = record.source_config as Record<string, unknown>;
  return { ...shown, source_config: url === undefined ? config : { ...config, custom_url: url } };
}

/** Addresses without the user name and password that somebody may have put into them. */
function withoutUserInfo(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_, field: unknown) =>
    typeof field === "string" ? field.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#\s]*@/i, "$1") : field,
  );
}
