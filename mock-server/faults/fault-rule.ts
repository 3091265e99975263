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
      const message = "The header can't be sent: it has characters that no header has";
      context.addIssue({ code: "custom", path: [name], message });
    }
  }
});

/** Which requests a fault is for; what isn't given matches everything. */
const faultMatchSchema = z.strictObject({
  method: z.string().optional(),
  /** Path without the query; `*` and `?` are wild. */
  path: z.string().optional(),
  /** An operation id of the reference, for example `create_deployment`. */
  operation: z.string().optional(),
  /** The value of the X-Tenant-Id header. */
  tenant: z.string().optional(),
});

/** What goes wrong. `latency` goes with each of the others; of those, one is given. */
const faultEffectSchema = z.strictObject({
  /** How long to wait first, in real time. Alone: the request is then handled as usual. */
  latency: durationSchema.optional(),
  /** Respond with this instead of handling the request. */
  status: z.int().min(200).max(599).optional(),
  /** With `status`: any JSON value. Default: a `detail` that names the fault. */
  body: z.unknown().optional(),
  /** With `status`: an HTML page instead of JSON, as proxies send. */
  html: z.string().optional(),
  /** With `status`: further headers, for example Retry-After. */
  headers: headersSchema.optional(),
  /** Reset the connection `before` the request is handled, or `after` that and before the response. */
  reset: z.enum(["before", "after"]).optional(),
  /** Handle the request, then break off in the middle of the body. */
  truncate: z.literal(true).optional(),
  /** Handle the request, then respond with something that can't be parsed: JSON or an event stream that is broken at its end. */
  malformed: z.literal(true).optional(),
  /** Let so many requests a second pass, by the server's clock; answer the others 429 with Retry-After: 1. */
  rateLimit: z.strictObject({ requests: z.int().min(1) }).optional(),
});

export type FaultEffect = z.infer<typeof faultEffectSchema>;

/** Effects of which only one can happen. */
const alternatives = ["status", "html", "reset", "truncate", "malformed", "rateLimit"] as const;

/** Whether responses with a status are never to have content: a 205 says that it has none by its length (RFC 9110, section 15.3.6). */
export function isWithoutContent(status: number): boolean {
  return isBodiless(status) || status === 205;
}

/** What is contradictory in an effect, in one sentence; `undefined` when nothing is. */
function contradictionOf(effect: FaultEffect, nameOf: (field: string) => string): string | undefined {
  const given = alternatives.filter((name) => effect[name] !== undefined);
  const chosen = given.filter((name) => name !== "status" || effect.html === undefined);
  if (chosen.length > 1) return `${chosen.map(nameOf).join(" and ")} contradict each other: give one of them`;
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

/** One fault. Of several rules, the first that matches a request counts. */
export const faultRuleSchema = z.strictObject({
  id: z.string().optional(),
  match: faultMatchSchema.optional(),
  /** Only the nth request that matches, counted from 1. With `times`: that one and the following ones. */
  nth: z.int().min(1).optional(),
  /** How often it happens at most. Default: without end, with `nth` once. */
  times: z.int().min(1).optional(),
  /** How likely it happens, 0 to 1. */
  probability: z.number().min(0).max(1).optional(),
  effect: faultEffectSchema.superRefine(consistent((field) => field)),
});
export type FaultRule = z.infer<typeof faultRuleSchema>;

/** A fault as it goes over the wire. */
export const wireFaultRuleSchema = faultRuleSchema.extend({
  effect: underWireNames(faultEffectSchema).superRefine(consistent(snakeCase)),
});
