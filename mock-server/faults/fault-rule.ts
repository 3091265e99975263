import { z } from "zod";
import { parseDuration } from "../duration.ts";

const durationSchema = z.union([z.string(), z.number()]).refine((value) => {
  try {
    return parseDuration(value) >= 0;
  } catch {
    return false;
  }
}, "Input should be a duration such as 5s");

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
  /** Answer with this instead of handling the request. */
  status: z.int().min(200).max(599).optional(),
  /** With `status`: any JSON value. Default: a `detail` that names the fault. */
  body: z.unknown().optional(),
  /** With `status`: an HTML page instead of JSON, as proxies answer. */
  html: z.string().optional(),
  /** With `status`: further headers, for example Retry-After. */
  headers: z.record(z.string(), z.string()).optional(),
  /** Reset the connection `before` the request is handled, or `after` that and before the answer. */
  reset: z.enum(["before", "after"]).optional(),
  /** Handle the request, then break off in the middle of the body. */
  truncate: z.literal(true).optional(),
  /** Handle the request, then answer with JSON that can't be parsed. */
  malformed: z.literal(true).optional(),
  /** Let so many requests a second pass, by the server's clock; answer the others 429 with Retry-After: 1. */
  rate_limit: z.strictObject({ requests: z.int().min(1) }).optional(),
});

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
  effect: faultEffectSchema,
});
export type FaultRule = z.infer<typeof faultRuleSchema>;
export type FaultEffect = FaultRule["effect"];
