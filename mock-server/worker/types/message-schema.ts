import type { Fields } from "../../agent-server/engine/contract.ts";

/** The JSON Schema of a message. */
export const messageSchema: Fields = {
  type: "object",
  properties: { type: { type: "string" }, content: {}, id: { type: "string" } },
  required: ["type", "content"],
};
