import type { z } from "zod";
import { unprocessable } from "../kit/http/http-error.ts";
import { maxLevels, parseJson } from "../kit/http/json.ts";
import type { RequestContext } from "../kit/http/request-context.ts";
import { issuesOf, jsonIssue } from "../kit/operation/validation-issues.ts";
import { namingUnknownKeys } from "../kit/unknown-names.ts";

/**
 * The JSON body of an admin request; an empty body reads as `{}`.
 * @throws {HttpError} 422 naming the invalid fields, 413 for a body over the limit (by default 1 MiB).
 */
export async function readAdminBody<Schema extends z.ZodType>(
  context: RequestContext,
  schema: Schema,
  limitBytes?: number,
): Promise<z.output<Schema>> {
  const text = (await context.readText(limitBytes)) || "{}";
  let input: unknown;
  try {
    // A snapshot wraps its records in further levels.
    input = parseJson(text, 2 * maxLevels);
  } catch (error) {
    throw unprocessable([jsonIssue(error)]);
  }
  const result = schema.safeParse(input, namingUnknownKeys);
  if (!result.success) throw unprocessable(issuesOf(result.error, input, ["body"]));
  return result.data;
}
