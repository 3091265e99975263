import type { z } from "zod";
import { readText } from "../http/body.ts";
import type { Exchange } from "../http/exchange.ts";
import { mostLevels, parseJson } from "../http/json.ts";
import { unprocessable } from "../http-error.ts";
import { issuesOf, jsonIssue } from "../openapi/validation.ts";

/**
 * The JSON body of an admin request; an empty body reads as `{}`.
 * @throws {HttpError} 422 naming what is broken, 413 for a body over the limit (by default 1 MiB).
 */
export async function readAdminBody<Schema extends z.ZodType>(
  exchange: Exchange,
  schema: Schema,
  limitBytes?: number,
): Promise<z.output<Schema>> {
  const text = (await readText(exchange, limitBytes)) || "{}";
  let input: unknown;
  try {
    // A snapshot has levels of its own around those of what it keeps.
    input = parseJson(text, 2 * mostLevels);
  } catch (error) {
    throw unprocessable([jsonIssue(error)]);
  }
  const result = schema.safeParse(input);
  if (!result.success) throw unprocessable(issuesOf(result.error, input, ["body"]));
  return result.data;
}
