import { z } from "zod";
import type { Frame } from "../../kit/log-reader.ts";
import { named } from "../agent-schemas.ts";
import { channels, type EventHead } from "../engine/protocol-event.ts";
import { headOf } from "./thread-events.ts";

const known = `the channels are ${channels.join(", ")} and custom:<name>`;
const error = ({ input }: { input?: unknown }) =>
  `Input should be a channel, which ${JSON.stringify(input)} isn't; ${known}`;

const channel = named(
  "ProtocolChannel",
  z.union([z.enum(channels), z.string().regex(/^custom:.+/s, { error })], { error }),
);
export const namespace = named("ProtocolNamespace", z.array(z.string()));

/** What a client wants of the events of a thread. */
export const subscriptionSchema = named(
  "ProtocolEventStreamRequest",
  z.object({
    channels: z.array(channel).min(1),
    /** Where events come from: only these namespaces, and those below. */
    namespaces: z.array(namespace).optional(),
    /** How far below. */
    depth: z.int().min(0).optional(),
    /** Only events after this number. */
    since: z.int().min(0).optional(),
  }),
);
export type Subscription = z.output<typeof subscriptionSchema>;

/**
 * A subscription as the numbers of a thread's events permit: one whose `since` is beyond the last is from a server that
 * counted other events, so it gets all.
 */
export function withKnownSince(subscription: Subscription, lastNumber: number): Subscription {
  return (subscription.since ?? 0) > lastNumber ? { ...subscription, since: 0 } : subscription;
}

/** Whether a stored event is one of those that a client wants. */
export function matches({ channels, namespaces, depth, since = 0 }: Subscription, frame: Frame): boolean {
  if (frame.number <= since) return false;
  const head = headOf(frame);
  const channel = channelOf(head);
  const isOnChannel = channels.includes(channel) || (head.method === "custom" && channels.includes("custom"));
  if (!isOnChannel) return false;
  if (!namespaces || namespaces.length === 0) return true;
  return namespaces.some(
    (prefix) =>
      isBelow(head.namespace, prefix) && (depth === undefined || head.namespace.length - prefix.length <= depth),
  );
}

function channelOf({ method, name }: EventHead): string {
  if (method.startsWith("input.")) return "input";
  return name === undefined ? method : `${method}:${name}`;
}

/** A part of the prefix may be the name of a node without the id of its task. */
function isBelow(namespace: readonly string[], prefix: readonly string[]): boolean {
  return prefix.every((part, index) => {
    const own = namespace[index];
    return own === part || (!part.includes(":") && own?.replace(/:.*$/s, "") === part);
  });
}
