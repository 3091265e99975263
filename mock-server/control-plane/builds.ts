import type { Secret, SourceRevisionConfig } from "../../core/client/wire/deployments.ts";

/** The source of a revision. */
export interface RevisionOrigin {
  deploymentId: string;
  revisionId: string;
  /** Order of the deployment's revisions: later ones are greater. */
  sequence: number;
  source: string;
  config: SourceRevisionConfig;
  repositoryUrl: string | null | undefined;
  secrets: readonly Secret[];
}

/** The outcome of a build: its log lines, and whether it failed. */
export interface Build {
  hasFailed: boolean;
  lines: string[];
}

/** Builds revisions by loading their code. */
export interface Builds {
  /** Builds a revision; `undefined`, at once or as the promise's value, when this server doesn't run its source. */
  build(origin: RevisionOrigin): Promise<Build | undefined> | undefined;
  /** Ends the project of a revision that isn't or is no longer live, once its runs have ended. */
  release(revisionId: string): void;
}
