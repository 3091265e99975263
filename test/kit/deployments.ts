import type { Deployment } from "../../core/client/wire/deployments.ts";
import type { Revision } from "../../core/client/wire/revisions.ts";
import type { DesiredDeployment } from "../../core/declare/deployment.ts";

export const deploymentId = "3f1c2a52-0c1e-4c3e-9b3a-0d6f3c1f7a01";
export const revisionId = "9a7de9a4-6a80-4c5c-8d53-5d1b0b9b2c02";
export const laterRevisionId = "c2a1f7ce-1d0f-4b57-9a43-2f0c8f1a6d03";

/** A declaration of a repository deployment. */
export function declaration(changes: Partial<DesiredDeployment> = {}): DesiredDeployment {
  return {
    name: "support-bot",
    source: "github",
    sourceConfig: { integrationId: "integration-1", repoUrl: "https://github.com/acme/bot", deploymentType: "dev" },
    sourceRevisionConfig: { repoRef: "main", graphConfigPath: "graph.json" },
    ...changes,
  };
}

/** The deployment that the platform has for `declaration()`. */
export function deployment(changes: Partial<Deployment> = {}): Deployment {
  return {
    id: deploymentId,
    name: "support-bot",
    source: "github",
    source_config: {
      integration_id: "integration-1",
      repo_url: "https://github.com/acme/bot",
      deployment_type: "dev",
      build_on_push: false,
    },
    source_revision_config: { repo_ref: "main", graph_config_path: "graph.json" },
    secrets: [],
    created_at: "2026-11-01T12:00:05Z",
    latest_revision_id: revisionId,
    active_revision_id: revisionId,
    ...changes,
  };
}

export function revision(changes: Partial<Revision> = {}): Revision {
  return {
    id: revisionId,
    created_at: "2026-11-01T12:00:00Z",
    updated_at: "2026-11-01T12:00:00Z",
    status: "DEPLOYED",
    source: "github",
    source_revision_config: { repo_ref: "main", graph_config_path: "graph.json", repo_commit_sha: null },
    ...changes,
  };
}

/** The control plane's own 404. */
export const gone = (id: string) => ({ status: 404, body: { detail: `Deployment ID ${id} not found` } });
