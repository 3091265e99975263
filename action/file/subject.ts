/** What the comment and the GitHub deployment of a file are about. A deployment's name has no colon. */
export function fileSubject(path: string, environment: string | undefined): string {
  return `file:${path}${environment === undefined ? "" : `@${environment}`}`;
}

/** The same for its previews, which belong to no environment. */
export function previewSubject(path: string): string {
  return `file:${path}@previews`;
}

/** What the report of a pull request's previews is headed by. */
export function previewTitle(path: string, pullRequest: number): string {
  return `${path} (previews of #${pullRequest})`;
}
