import type { ControlPlane } from "../core/client/client.ts";
import type { Deployment } from "../core/client/wire/deployments.ts";
import type { Revision } from "../core/client/wire/revisions.ts";
import type { DeploymentOutputs } from "./state.ts";

/** The outputs of a deployment, with those of its latest revision if it is known. */
export function outputsOf(
  client: ControlPlane,
  deployment: Deployment,
  revision: Revision | undefined,
): DeploymentOutputs {
  const config = revision?.source_revision_config ?? deployment.source_revision_config;
  return {
    status: deployment.status ?? undefined,
    latestRevisionId: deployment.latest_revision_id ?? undefined,
    activeRevisionId: deployment.active_revision_id ?? undefined,
    revisionStatus: revision?.status,
    commit: config.repo_commit_sha ?? undefined,
    image: config.image_uri ?? undefined,
    url: deployment.source_config.custom_url ?? undefined,
    webUrl: client.webUrl(deployment),
    tenantId: deployment.tenant_id ?? client.workspaceId,
    baseUrl: client.baseUrl,
    createdAt: deployment.created_at ?? undefined,
    updatedAt: deployment.updated_at ?? undefined,
  };
}
