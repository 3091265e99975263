import { toBothNames } from "../../core/client/wire/conventions.ts";
import type { SourceRevisionConfig } from "../../core/client/wire/deployments.ts";
import { timestamp } from "../kit/timestamp.ts";
import { activeRevisionId, deploymentStatus, imageVersion } from "./deployments/deployment-state.ts";
import { currentTransition } from "./revisions/rollout.ts";
import type { DeploymentBody, RevisionBody } from "./schemas.ts";
import type { DeploymentRecord, RevisionRecord } from "./store/records.ts";

/** A deployment as clients see it. `agentUrl` is the URL of its agent server. */
export function viewDeployment(record: DeploymentRecord, agentUrl: string, now: number): DeploymentBody {
  const { sourceConfig } = record;
  return {
    id: record.id,
    tenant_id: record.tenantId,
    name: record.name,
    display_name: record.displayName,
    source: record.source,
    source_config: {
      integration_id: sourceConfig.integration_id ?? null,
      repo_url: sourceConfig.repo_url ?? null,
      deployment_type: sourceConfig.deployment_type ?? null,
      build_on_push: sourceConfig.build_on_push ?? null,
      custom_url: sourceConfig.custom_url ?? agentUrl,
      resource_spec: sourceConfig.resource_spec ?? null,
      listener_id: sourceConfig.listener_id ?? null,
      listener_config: sourceConfig.listener_config ?? null,
      install_command: sourceConfig.install_command ?? null,
      build_command: sourceConfig.build_command ?? null,
      template_id: sourceConfig.template_id ?? null,
    },
    source_revision_config: viewRevisionConfig(record.revisionConfig),
    secrets: record.secrets,
    secret_references: record.secretReferences,
    created_at: timestamp(record.createdAt),
    updated_at: timestamp(record.updatedAt),
    status: deploymentStatus(record, now),
    latest_revision_id: record.latestRevisionId,
    active_revision_id: activeRevisionId(record, now),
    image_version: imageVersion(record),
  };
}

/** A revision as clients see it. */
export function viewRevision(record: RevisionRecord, now: number): RevisionBody {
  const current = currentTransition(record.transitions, now);
  return {
    id: record.id,
    deployment_id: record.deploymentId,
    created_at: timestamp(record.createdAt),
    updated_at: timestamp(current.at),
    status: current.status,
    source: record.source,
    source_revision_config: viewRevisionConfig(record.config),
  };
}

function viewRevisionConfig(config: SourceRevisionConfig): RevisionBody["source_revision_config"] {
  return toBothNames({
    repo_ref: config.repo_ref ?? null,
    graph_config_path: config.graph_config_path ?? null,
    image_uri: config.image_uri ?? null,
    source_tarball_path: config.source_tarball_path ?? null,
    repo_commit_sha: config.repo_commit_sha ?? null,
  });
}
