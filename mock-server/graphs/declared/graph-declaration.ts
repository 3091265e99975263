import { z } from "zod";
import { regularExpression } from "../../worker/load/regular-expression.ts";

const name = z.string().regex(/^[^\s/|:]+$/, { error: "must be a name without spaces, slashes, bars and colons" });
const fields = z.record(z.string(), z.unknown());

const channel = z.union(
  [
    z.enum(["last", "append", "messages"]),
    z.strictObject({
      kind: z.enum(["last", "append", "messages"]),
      initial: z.unknown().optional(),
      schema: fields.optional(),
    }),
  ],
  { error: 'must be "last", "append" or "messages", or an object with such a "kind"' },
);

/** The actions of steps; each step has exactly one. */
const actions = ["reply", "tool", "custom", "interrupt", "delay_ms", "set", "fail"] as const;

/** Options, and the only action that each belongs to. */
const companions = { pause_ms: "reply", tags: "reply", into: "interrupt" } as const;

const step = z
  .strictObject({
    /** Streams a reply as a chat model does: word by word, or in these tokens. */
    reply: z.union([z.string(), z.array(z.string())], { error: "must be a text, or a list of tokens" }).optional(),
    /** Milliseconds before each token. */
    pause_ms: z.number().nonnegative().optional(),
    /** Tags of the model call. */
    tags: z.array(z.string()).optional(),
    /** Calls a tool, which returns `result`. */
    tool: z.strictObject({ name, args: fields.optional(), result: z.unknown().optional() }).optional(),
    /** Sends data in the stream mode `custom`. */
    custom: z.unknown().optional(),
    /** Interrupts the run until it is resumed. */
    interrupt: z.unknown().optional(),
    /** The field of the state that stores the answer. */
    into: name.optional(),
    delay_ms: z.number().nonnegative().optional(),
    /** Changes fields of the state. */
    set: fields.optional(),
    /** Fails the run with an error. */
    fail: z
      .preprocess(
        (given) => (typeof given === "string" ? { message: given } : given),
        z.strictObject({ error: z.string().min(1).optional(), message: z.string() }),
      )
      .optional(),
  })
  .superRefine((given, context) => {
    const found = actions.filter((action) => Object.hasOwn(given, action));
    if (found.length !== 1) {
      const has = found.length === 0 ? "has none" : `has ${found.join(" and ")}`;
      context.addIssue({ code: "custom", message: `must have one of ${actions.join(", ")}, and ${has}` });
    }
    for (const [companion, action] of Object.entries(companions)) {
      if (!Object.hasOwn(given, companion) || found.includes(action)) continue;
      context.addIssue({ code: "custom", path: [companion], message: `goes with ${action} only` });
    }
  });

const conditionFields = z
  .strictObject({
    /** The field of the state to test. @default the text of the last message */
    field: name.optional(),
    contains: z.string().min(1).optional(),
    equals: z.unknown().optional(),
    matches: regularExpression.optional(),
    /** The type of the last message. */
    type: z.enum(["human", "ai", "tool", "system"]).optional(),
  })
  .refine((given) => ["contains", "equals", "matches", "type"].some((key) => Object.hasOwn(given, key)), {
    error: "must have at least one of contains, equals, matches, type",
  });

/** A string is short for `contains`. */
const condition = z.preprocess((given) => (typeof given === "string" ? { contains: given } : given), conditionFields);

const node = z
  .strictObject({
    /** The steps, in order. */
    steps: z.array(step).min(1).optional(),
    /** The id of a graph that the node runs. */
    graph: z.string().min(1).optional(),
    /** Successors with conditions; the first that holds applies. */
    branches: z
      .array(z.strictObject({ when: condition, to: name }))
      .min(1)
      .optional(),
    /** The successor when no branch applies; a list runs all of them concurrently. @default the end */
    next: z.union([name, z.array(name).min(1)], { error: "must be the name of a node, or a list of names" }).optional(),
  })
  .refine(({ steps, graph }) => steps === undefined || graph === undefined, {
    error: "must have steps or a graph, and not both",
  });

/** A scripted graph, declared without code. */
export const graphDeclaration = z.strictObject({
  description: z.string().optional(),
  /** Fields of the state besides `messages`. */
  state: z.record(name, channel).optional(),
  /** The first node. @default the first in `nodes` */
  start: name.optional(),
  nodes: z
    .record(name, node)
    .refine((nodes) => Object.keys(nodes).length > 0, { error: "must have at least one node" }),
});

/** Scripted graphs by their ids. */
export const graphDeclarations = z.record(name, graphDeclaration);

export type GraphDeclaration = z.output<typeof graphDeclaration>;
export type GraphDeclarations = z.output<typeof graphDeclarations>;
export type NodeDeclaration = z.output<typeof node>;
export type StepDeclaration = z.output<typeof step>;
export type ConditionDeclaration = z.output<typeof condition>;
