import type { Secret, SourceRevisionConfig } from "../../core/client/wire/deployments.ts";

/** What a revision is built from. */
export interface RevisionOrigin {
  deploymentId: string;
  revisionId: string;
  /** Which of the deployment's revisions is the newer one. */
  sequence: number;
  source: string;
  config: SourceRevisionConfig;
  repositoryUrl: string | null | undefined;
  secrets: readonly Secret[];
}

/** What a build comes to: the lines that it logs, and whether it failed. */
export interface Build {
  hasFailed: boolean;
  lines: string[];
}

/** Builds revisions by loading their code. */
export interface Builds {
  /** Builds a revision; `undefined`, or soon so, when its source isn't run here. */
  build(origin: RevisionOrigin): Promise<Build | undefined> | undefined;
  /** Ends what was built for a revision that isn't live, or no longer, once its runs have ended. */
  release(revisionId: string): void;
}
