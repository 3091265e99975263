/** A project's module that can't be loaded, or lacks the export. */
export class ProjectLoadError extends Error {
  override readonly name = "ProjectLoadError";
}
