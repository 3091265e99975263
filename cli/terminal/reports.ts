import type { Outcome } from "../../core/reconcile/file/outcome.ts";
import type { DeploymentState } from "../../core/reconcile/file/status.ts";
import type { Redactor } from "../../core/redact.ts";

/** How one deployment ended, as JSON. */
export function outcomeReport({
  key,
  name,
  result,
  deploymentId,
  revisionId,
  url,
  content,
  error,
  durationMs,
}: Outcome) {
  return {
    key,
    name,
    result,
    deployment_id: deploymentId,
    revision_id: revisionId,
    url,
    content,
    error: error?.message,
    duration_ms: Math.round(durationMs),
  };
}

/** What the platform has of one deployment, as JSON. */
export function stateReport(
  { key, name, isDeclared, status, isLive, isOwned, owner, deployment }: DeploymentState,
  webUrl: string | undefined,
) {
  return {
    key,
    name,
    declared: isDeclared,
    status,
    live: isLive,
    owned: isOwned,
    owner,
    deployment_id: deployment?.id,
    latest_revision_id: deployment?.latest_revision_id,
    active_revision_id: deployment?.active_revision_id,
    url: deployment?.source_config.custom_url,
    web_url: webUrl,
  };
}

/** Fields whose values the platform shows to everybody, or that are this program's own words. */
const publicFields: ReadonlySet<string> = new Set([
  ...["event", "key", "name", "action", "result", "status", "previous", "kind", "type", "effect", "path"],
  ...["id", "deployment_id", "revision_id", "latest_revision_id", "active_revision_id", "url", "web_url", "depends_on"],
]);

/** A document as JSON: secrets are redacted from what others have written, never from our own words, names and ids. */
export function jsonText(document: unknown, redactor: Redactor): string {
  const redacted = (value: unknown, field = ""): unknown => {
    if (publicFields.has(field)) return value;
    if (typeof value === "string") return redactor.text(value);
    if (Array.isArray(value)) return value.map((item) => redacted(item, field));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, redacted(inner, name)]));
  };
  return JSON.stringify(redacted(document));
}
