import type { DeclarativeFile } from "../../core/declare/file/declarative-file.ts";
import type { InputProblem } from "../input-problem.ts";

/** Default variables of a runner that GitHub shows everywhere, such as the branch. */
const publicVariables = [
  ...["GITHUB_REF", "GITHUB_REF_NAME", "GITHUB_HEAD_REF", "GITHUB_BASE_REF", "GITHUB_SHA"],
  ...["GITHUB_REPOSITORY", "GITHUB_REPOSITORY_OWNER", "GITHUB_SERVER_URL", "GITHUB_ACTOR", "GITHUB_EVENT_NAME"],
  ...["GITHUB_RUN_ID", "GITHUB_RUN_NUMBER", "GITHUB_WORKFLOW"],
] as const;

/** The values of a file to redact: all that was filled in or declared secret, but what GitHub itself shows. */
export function secretsOf(
  { secrets }: Pick<DeclarativeFile, "secrets">,
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const shown = new Set(publicVariables.map((name) => env[name]));
  return secrets.filter((value) => !shown.has(value));
}

/** A file that fills in the job's own token; a personal one may be meant for the agent. */
export function jobTokenProblem(
  { secrets }: Pick<DeclarativeFile, "secrets">,
  githubToken: string | undefined,
): InputProblem | undefined {
  const token = githubToken?.startsWith("ghs_") ? githubToken : undefined;
  if (token === undefined || !secrets.some((value) => value.trim() === token)) return undefined;
  const message =
    "The file fills in the job's own token, which expires with the job. Give the agent a token of its own.";
  return { input: "config", message };
}
