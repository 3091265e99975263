import { z } from "zod";
import { durationSchema } from "../kit/duration-schema.ts";
import { isBodiless } from "../kit/http/http-response.ts";
import { nodeHttp } from "../kit/http/node-http.ts";
import { snakeCase, underWireNames } from "../kit/wire-names.ts";

const headersSchema = z.record(z.string(), z.string()).superRefine((headers, context) => {
  for (const [name, value] of Object.entries(headers)) {
    try {
      nodeHttp.validateHeaderName(name);
      nodeHttp.validateHeaderValue(name, value);
    } catch {
      const message = "The header can't be sent: it has characters that headers can't have";
      context.addIssue({ code: "custom", path: [name], message });
    }
  }
});

/** The requests that a fault applies to; absent fields match everything. */
const faultMatchSchema = z.strictObject({
  method: z.string().optional(),
  /** Path without the query; `*` and `?` are wildcards. */
  path: z.string().optional(),
  /** An operation id of the reference, for example `create_deployment`. */
  operation: z.string().optional(),
  /** The value of the X-Tenant-Id header. */
  tenant: z.string().optional(),
});

/** The effect of a fault: `latency`, one of the others, or both. */
const faultEffectSchema = z.strictObject({
  /**
   * Delay before the request is handled, in real time. Without another effect, the request is then handled normally.
   */
  latency: durationSchema.optional(),
  /** Respond with this instead of handling the request. */
  status: z.int().min(200).max(599).optional(),
  /** With `status`: any JSON value. @default a `detail` that says it is a fault */
  body: z.unknown().optional(),
  /** With `status`: an HTML page instead of JSON, as a proxy sends. */
  html: z.string().optional(),
  /** With `status`: further headers, for example Retry-After. */
  headers: headersSchema.optional(),
  /** Reset the connection `before` the request is handled, or `after` that instead of responding. */
  reset: z.enum(["before", "after"]).optional(),
  /** Handle the request, then close the connection in the middle of the body. */
  truncate: z.literal(true).optional(),
  /** Handle the request, then respond with JSON or an event stream that is invalid at its end. */
  malformed: z.literal(true).optional(),
  /** Requests per second, by the server's clock; others get 429 with Retry-After: 1. */
  rateLimit: z.strictObject({ requests: z.int().min(1) }).optional(),
});

export type FaultEffect = z.infer<typeof faultEffectSchema>;

/** Mutually exclusive effects. */
const alternatives = ["status", "html", "reset", "truncate", "malformed", "rateLimit"] as const;

/** Whether responses with this status have no content; a 205 says so by its length (RFC 9110, section 15.3.6). */
export function isWithoutContent(status: number): boolean {
  return isBodiless(status) || status === 205;
}

/** Describes a contradiction in an effect in one sentence; `undefined` when there is none. */
function contradictionOf(effect: FaultEffect, nameOf: (field: string) => string): string | undefined {
  const given = alternatives.filter((name) => effect[name] !== undefined);
  const chosen = given.filter((name) => name !== "status" || effect.html === undefined);
  if (chosen.length > 1) return `${chosen.map(nameOf).join(" and ")} exclude each other: give one of them`;
  if (effect.body !== undefined && (effect.status === undefined || effect.html !== undefined)) {
    return "body goes with status, and not with html";
  }
  if (effect.headers !== undefined && effect.status === undefined && effect.html === undefined) {
    return "headers go with status or html";
  }
  if (
    effect.status !== undefined &&
    isWithoutContent(effect.status) &&
    (effect.body !== undefined || effect.html !== undefined)
  ) {
    return `a ${effect.status} has no body`;
  }
  if (given.length === 0 && effect.latency === undefined) {
    return `the effect is empty: give latency, or one of ${alternatives.map(nameOf).join(", ")}`;
  }
  return undefined;
}

const consistent = (nameOf: (field: string) => string) => (effect: FaultEffect, context: z.RefinementCtx) => {
  const message = contradictionOf(effect, nameOf);
  if (message !== undefined) context.addIssue({ code: "custom", message });
};

/** A fault rule. The first rule that matches a request applies. */
export const faultRuleSchema = z.strictObject({
  id: z.string().optional(),
  match: faultMatchSchema.optional(),
  /** Applies to the nth matching request only, counted from 1. With `times`: from that one on. */
  nth: z.int().min(1).optional(),
  /** Maximum number of times that the rule applies. @default unlimited, with `nth` 1 */
  times: z.int().min(1).optional(),
  /** Probability that it applies, from 0 to 1. @default 1 */
  probability: z.number().min(0).max(1).optional(),
  effect: faultEffectSchema.superRefine(consistent((field) => field)),
});
export type FaultRule = z.infer<typeof faultRuleSchema>;

/** A fault rule with wire names. */
export const wireFaultRuleSchema = faultRuleSchema.extend({
  effect: underWireNames(faultEffectSchema).superRefine(consistent(snakeCase)),
});
