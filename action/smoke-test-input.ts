import { z } from "zod";
import type { InputProblem } from "./input-problem.ts";

/** How a deployment is tested once it is live. */
export interface SmokeTest {
  /** A stateless run whose output must match. @default none: only `/ok` is called */
  run?: { assistant: string; input: Readonly<Record<string, unknown>>; match: RegExp } | undefined;
}

const runSchema = z.strictObject({
  assistant: z.string().min(1),
  input: z.record(z.string(), z.unknown()).default({}),
  match: z.string().default(""),
});

/**
 * Reads `false`, `ok`, or a JSON object with `assistant`, `input` and `match` (a regular expression for the output's
 * JSON text).
 */
export function readSmokeTest(text: string): { smokeTest: SmokeTest | undefined; problems: readonly InputProblem[] } {
  const trimmed = text.trim();
  if (trimmed === "" || trimmed === "false") return { smokeTest: undefined, problems: [] };
  if (trimmed === "ok" || trimmed === "true") return { smokeTest: {}, problems: [] };
  const problem = (message: string) => ({ smokeTest: undefined, problems: [{ input: "smoke-test", message }] });
  let json: unknown;
  try {
    json = JSON.parse(trimmed);
  } catch {
    return problem('is neither "ok" nor a JSON object like {"assistant": "agent", "input": {}, "match": "hello"}.');
  }
  const parsed = runSchema.safeParse(json);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return problem(`is wrong at ${issue?.path.join(".") || "its top"}: ${issue?.message}.`);
  }
  try {
    return { smokeTest: { run: { ...parsed.data, match: new RegExp(parsed.data.match) } }, problems: [] };
  } catch {
    return problem("has a match that is not a regular expression.");
  }
}
