import type { Fields } from "./contract.ts";

/** The data of an event as JSON; an error object where it can't be serialized, since a bad event must not end a run. */
export function eventJson(data: unknown): string {
  try {
    return JSON.stringify(data) ?? "null";
  } catch (cause) {
    const failure: Fields = { error: "SerializationError", message: (cause as Error).message };
    return JSON.stringify(failure);
  }
}
