import type { z } from "zod";

/** One mistake in a declaration. `path` leads to the field, for example `["sourceConfig", "buildOnPush"]`. */
export interface Problem {
  path: readonly (string | number)[];
  message: string;
}

/** A schema's complaint in the words of this package. One about several unknown fields makes several problems. */
export function toProblems(issue: z.core.$ZodIssue): Problem[] {
  const path = issue.path.map((part) => (typeof part === "number" ? part : String(part)));
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      path: [...path, key],
      message: "is not a field of a deployment. Check its spelling.",
    }));
  }
  const missing = issue.code === "invalid_type" && issue.input === undefined;
  return [{ path, message: missing ? "is required." : asSentenceEnd(issue.message) }];
}

/** What a null in a declaration is told: elsewhere it stands for "not declared", or for "clear it", so it is neither here. */
export function nullProblem(path: Problem["path"]): Problem {
  return { path, message: "is null. Leave it out, or give it a value." };
}

/** A message that reads on after the field's name. */
export function asSentenceEnd(message: string): string {
  return `${message.charAt(0).toLowerCase()}${message.slice(1).replace(/\.$/, "")}.`;
}
