import { HttpError } from "../../kit/http/http-error.ts";
import { parseJson } from "../../kit/http/json.ts";
import { type AccessRule, byPath } from "../auth/access-rule.ts";
import type { Fields } from "../engine/contract.ts";

export const readThread = byPath("threads", "read");
export const updateThread = byPath("threads", "update");

export const listThreads: AccessRule = async ({ query }, { authorize }) => {
  const metadata = query.metadata === undefined ? {} : objectIn(query.metadata as string);
  const permitted = await authorize("threads", "search", { ...query, metadata });
  return { query: { ...permitted, metadata: JSON.stringify(permitted.metadata) } };
};

/** Reads the metadata filter of a query. @throws {HttpError} 422 for text that isn't a JSON object. */
export function objectIn(text: string): Fields {
  try {
    const value = parseJson(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Fields;
  } catch {
    // Refused below, like JSON that isn't an object.
  }
  throw new HttpError(422, "query.metadata: Input should be a JSON object.");
}
