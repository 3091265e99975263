import { type Fields, GraphError } from "./contract.ts";
import { joinMessages, type Message } from "./messages.ts";

/**
 * How a field of a graph's state applies updates: `last` replaces, `append` adds to a list, `messages` merges messages
 * by id.
 */
export interface Channel {
  kind: "last" | "append" | "messages";
  initial: unknown;
  /** JSON Schema. */
  schema: Fields;
}

export type Channels = Record<string, Channel>;

/** A channel of kind `last`. */
export function lastValue(initial: unknown, schema: Fields = {}): Channel {
  return { kind: "last", initial, schema };
}

/** A channel of kind `append`; `items` is their JSON Schema. */
export function appended(items: Fields = {}): Channel {
  return { kind: "append", initial: [], schema: { type: "array", items } };
}

/** A channel of kind `messages`. */
export function messages(): Channel {
  const message = {
    type: "object",
    properties: { type: { type: "string" }, content: {}, id: { type: "string" } },
    required: ["type", "content"],
  };
  return { kind: "messages", initial: [], schema: { type: "array", items: message } };
}

export function initialValues(channels: Channels): Fields {
  return Object.fromEntries(Object.entries(channels).map(([name, { initial }]) => [name, initial]));
}

/**
 * The state after an update. Fields that the graph doesn't have are dropped.
 * @throws {GraphError} for an update that isn't an object, or an invalid message.
 */
export function applyUpdate(channels: Channels, values: Fields, update: unknown, makeId: () => string): Fields {
  if (typeof update !== "object" || update === null || Array.isArray(update)) {
    throw new GraphError("InvalidUpdateError", `Expected an object with fields of the state, not ${describe(update)}.`);
  }
  const next = { ...values };
  for (const [name, value] of Object.entries(update)) {
    const channel = Object.hasOwn(channels, name) ? channels[name] : undefined;
    if (!channel || value === undefined) continue;
    if (channel.kind === "messages") next[name] = joinMessages((next[name] as Message[]) ?? [], value, makeId);
    else if (channel.kind === "append") next[name] = [...((next[name] as unknown[]) ?? []), ...[value].flat()];
    else next[name] = value;
  }
  return next;
}

function describe(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "a list" : `a ${typeof value}`;
}
