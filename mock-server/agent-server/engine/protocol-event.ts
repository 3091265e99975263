import { z } from "zod";

/** What an event of the streaming protocol is about: all of it but its number, its time and its data. */
export const eventHead = z.object({
  /** As on the wire, for example `messages` or `input.requested`. */
  method: z.string().min(1),
  /** The tasks that lead to the graph, for example `child:<task id>`; empty for the graph itself. */
  namespace: z.array(z.string()),
  /** The node that caused it. */
  node: z.string().optional(),
  /** The name of a `custom` event that has one. */
  name: z.string().optional(),
});
export type EventHead = z.output<typeof eventHead>;

/** The channels that a client can subscribe to, beside `custom:<name>`. */
export const channels = [
  "values",
  "updates",
  "messages",
  "tools",
  "lifecycle",
  "input",
  "checkpoints",
  "tasks",
  "custom",
] as const;

/** What an event of the `lifecycle` channel says about a graph or subgraph. */
export type LifecycleStatus = "running" | "started" | "completed" | "failed" | "interrupted";
