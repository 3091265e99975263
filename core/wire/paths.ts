/** `/v2/deployments/{id}` */
export function deploymentPath(id: string): string {
  return `/v2/deployments/${encodeURIComponent(id)}`;
}

/** `/v2/deployments/{id}/revisions/{id}` */
export function revisionPath(deploymentId: string, revisionId: string): string {
  return `${deploymentPath(deploymentId)}/revisions/${encodeURIComponent(revisionId)}`;
}

/** `/v1/projects/{id}/revisions/{id}/build_logs` */
export function buildLogsPath(deploymentId: string, revisionId: string): string {
  return `${projectPath(deploymentId)}/revisions/${encodeURIComponent(revisionId)}/build_logs`;
}

/** `/v1/projects/{id}/revisions/{id}/deploy_logs`, or those of the whole deployment. */
export function deployLogsPath(deploymentId: string, revisionId: string | undefined): string {
  const revision = revisionId === undefined ? "" : `/revisions/${encodeURIComponent(revisionId)}`;
  return `${projectPath(deploymentId)}${revision}/deploy_logs`;
}

/** `/v1/integrations/github/{id}/repos` */
export function githubRepositoriesPath(integrationId: string): string {
  return `/v1/integrations/github/${encodeURIComponent(integrationId)}/repos`;
}

function projectPath(deploymentId: string): string {
  return `/v1/projects/${encodeURIComponent(deploymentId)}`;
}
