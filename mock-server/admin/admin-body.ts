import type { z } from "zod";
import { readText } from "../http/body.ts";
import type { Exchange } from "../http/exchange.ts";
import { unprocessable } from "../http-error.ts";
import { issuesOf } from "../openapi/validation.ts";

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
    input = JSON.parse(text);
  } catch {
    throw unprocessable([{ loc: ["body"], msg: "JSON decode error", type: "json_invalid" }]);
  }
  const result = schema.safeParse(input);
  if (!result.success) throw unprocessable(issuesOf(result.error, input, ["body"]));
  return result.data;
}
