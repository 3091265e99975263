/** Thrown when a project's module can't be loaded or lacks an export. */
export class ProjectLoadError extends Error {
  override readonly name = "ProjectLoadError";
}
