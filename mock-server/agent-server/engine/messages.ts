import { type Fields, GraphError } from "./contract.ts";

/** A chat message, as agent servers send it. */
export interface Message extends Fields {
  content: unknown;
  type: string;
  id: string;
}

const typeOfRole: Record<string, string> = {
  user: "human",
  human: "human",
  assistant: "ai",
  ai: "ai",
  system: "system",
  developer: "system",
  tool: "tool",
  function: "function",
  remove: "remove",
};

/**
 * Reads a message in any form that clients write: text, `[role, text]`, `{ role, content }` or `{ type, content }`.
 * @throws {GraphError} for anything else.
 */
export function toMessage(input: unknown, makeId: () => string): Message {
  if (typeof input === "string") return complete({ content: input, type: "human" }, makeId);
  if (Array.isArray(input) && input.length === 2 && typeof input[0] === "string") {
    return complete({ content: input[1], type: input[0] }, makeId);
  }
  if (typeof input === "object" && input !== null) {
    const { role, ...fields } = input as Fields;
    const type = fields.type ?? role;
    if (typeof type === "string") return complete({ ...fields, type }, makeId);
  }
  throw new GraphError(
    "MESSAGE_COERCION_FAILURE",
    `${JSON.stringify(input)} isn't a message: write text, [role, text], or an object with "role" or "type" and "content".`,
  );
}

function complete(fields: Fields & { type: string }, makeId: () => string): Message {
  const type = typeOfRole[fields.type];
  if (type === undefined) {
    throw new GraphError("MESSAGE_COERCION_FAILURE", `"${fields.type}" isn't a role or type of a message.`);
  }
  const id = typeof fields.id === "string" && fields.id !== "" ? fields.id : makeId();
  const calls = type === "ai" ? { tool_calls: [], invalid_tool_calls: [] } : {};
  return {
    content: "",
    additional_kwargs: {},
    response_metadata: {},
    ...calls,
    ...fields,
    id,
    type,
  };
}

/** Merges messages by id: a known id is replaced, type `remove` removes, others are appended. */
export function joinMessages(before: readonly Message[], added: unknown, makeId: () => string): Message[] {
  const messages = [...before];
  const isOne = !Array.isArray(added) || (added.length === 2 && added.every((part) => typeof part === "string"));
  for (const input of isOne ? [added] : (added as unknown[])) {
    const message = toMessage(input, makeId);
    const index = messages.findIndex(({ id }) => id === message.id);
    if (message.type === "remove") {
      if (message.id === "__remove_all__") messages.length = 0;
      else if (index >= 0) messages.splice(index, 1);
    } else if (index >= 0) messages[index] = message;
    else messages.push(message);
  }
  return messages;
}

/** The text of a message's content. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part) => (typeof part === "string" ? part : ((part as Fields).text ?? ""))).join("");
}

/** The values of an update that have the shape of a message. */
export function messagesIn(update: Fields): Message[] {
  return Object.values(update)
    .flat()
    .filter(
      (value): value is Message =>
        typeof value === "object" && value !== null && "type" in value && "content" in value && "id" in value,
    );
}
