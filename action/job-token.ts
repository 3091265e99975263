import type { EnvironmentInput } from "./environment-input.ts";
import type { InputName } from "./input-defaults.ts";
import type { InputProblem } from "./input-problem.ts";

/** The prefixes of personal tokens. */
const personalToken = /^\s*(?:ghp|gho|ghu|github_pat)_/;

/**
 * The entries that hold the job's own token: `github_token`, which `toJSON(secrets)` includes, and any whose value is
 * that of the input `github-token`, unless that is a personal token, which the agent may need.
 */
export function* jobTokenProblems(
  input: InputName,
  { entries = {} }: EnvironmentInput,
  githubToken: string | undefined,
): Generator<InputProblem> {
  const jobToken = githubToken?.startsWith("ghs_") ? githubToken : undefined;
  const names = Object.keys(entries).filter(
    (name) =>
      (name === "github_token" && !personalToken.test(entries[name] ?? "")) ||
      (jobToken !== undefined && entries[name]?.trim() === jobToken),
  );
  if (names.length === 0) return;
  const message = `has ${names.join(", ")}, which is the job's own token: it expires with the job. Leave it out, and list by name what the agent needs instead of toJSON(secrets).`;
  yield { input, message };
}
