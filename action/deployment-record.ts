import type { Deployment } from "../core/client/wire/deployments.ts";
import type { Redactor } from "../core/redact.ts";
import { publicUrl } from "./public-url.ts";

/** A deployment as the platform returns it, with only the names of its environment. */
export type DeploymentRecord = Readonly<Record<string, unknown>>;

/** Fields that the platform computes, or that the run chooses. They are public, even if a secret occurs in them. */
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

/** A copy to publish: the declared secrets are redacted from all other fields. */
export function publicRecord(record: DeploymentRecord, declaredSecrets: Redactor): DeploymentRecord {
  const shown = declaredSecrets.deep(record) as Record<string, unknown>;
  for (const name of computed) if (name in record) shown[name] = record[name];
  const config = shown.source_config as Record<string, unknown>;
  const { custom_url: url } = record.source_config as Record<string, unknown>;
  return { ...shown, source_config: url === undefined ? config : { ...config, custom_url: url } };
}

/** A copy without user names and passwords in addresses. */
function withoutUserInfo(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_, field: unknown) =>
    typeof field === "string" ? field.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#\s]*@/i, "$1") : field,
  );
}
