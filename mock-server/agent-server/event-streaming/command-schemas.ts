import { z } from "zod";
import { command, fields, named, runConfig } from "../agent-schemas.ts";
import { multitaskStrategy } from "../runs/run-schemas.ts";
import { errorCodes } from "./command-error.ts";
import { namespace } from "./subscription.ts";

export const commandSchema = named(
  "ProtocolCommand",
  z.object({ id: z.int().min(0), method: z.string(), params: fields.nullish() }),
);
export type ProtocolCommand = z.output<typeof commandSchema>;

const meta = named(
  "ProtocolResponseMeta",
  z.looseObject({ thread_id: z.string(), applied_through_seq: z.int().min(0) }),
);
export const commandSuccess = named(
  "ProtocolSuccess",
  z.object({ type: z.literal("success"), id: z.int().min(0), result: fields, meta }),
);
export const commandFailure = named(
  "ProtocolError",
  z.object({
    type: z.literal("error"),
    id: z.int().min(0).nullable(),
    error: z.enum(errorCodes),
    message: z.string(),
    meta: meta.optional(),
  }),
);

const runSettings = { config: runConfig.nullish(), metadata: fields.nullish() };

export const runStart = z.object({
  assistant_id: z.string().min(1),
  input: z.unknown().optional(),
  ...runSettings,
  multitask_strategy: multitaskStrategy.optional(),
  multitaskStrategy: multitaskStrategy.optional(),
});

const answer = { namespace: namespace.optional(), interrupt_id: z.string(), response: z.unknown().optional() };
const resumption = { update: command.shape.update, goto: command.shape.goto, ...runSettings };

/** One answer, or those to several interrupts of the same checkpoint. */
export const inputRespond = z.union([
  z.object({ responses: z.array(z.object(answer)).min(1), ...resumption }),
  z.object({ ...answer, ...resumption }),
]);

export const stateGet = z.object({ namespace: namespace.default([]), keys: z.array(z.string()).optional() });
export const stateListCheckpoints = z.object({
  namespace: namespace.optional(),
  limit: z.int().min(1).max(1000).optional(),
  before: z.string().optional(),
});
export const stateFork = z.object({
  checkpoint_id: z.string().min(1),
  input: z.unknown().optional(),
  config: runConfig.nullish(),
});
export const subscriptionUnsubscribe = z.object({ subscription_id: z.string() });
export const agentGetTree = z.object({ run_id: z.string().optional() });
