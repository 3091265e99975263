import { type AccessRule, byPath } from "../auth/access-rule.ts";
import type { Fields } from "../engine/contract.ts";

export const readThread = byPath("threads", "read");
export const updateThread = byPath("threads", "update");

export const listThreads: AccessRule = async ({ query }, { ask }) => {
  const { metadata, ...rest } = query;
  const asked = await ask("threads", "search", { ...rest, metadata: objectIn(metadata) ?? {} });
  // What is no object stays as it is, for the operation to refuse.
  const isRefused = metadata !== undefined && !objectIn(metadata);
  return { query: { ...asked, metadata: isRefused ? metadata : JSON.stringify(asked.metadata) } };
};

function objectIn(json: unknown): Fields | undefined {
  if (typeof json !== "string") return undefined;
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
  } catch {
    return undefined;
  }
}
