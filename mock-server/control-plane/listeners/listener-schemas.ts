import { z } from "zod";
import { listenerComputeConfigSchema, listenerSchema } from "../../../core/client/wire/deployments.ts";
import { named } from "../schema-names.ts";

const computeConfig = named("ListenerComputeConfig", z.object(listenerComputeConfigSchema.shape));

export const listenerResponse = named(
  "Listener",
  listenerSchema.extend({
    id: z.guid(),
    compute_type: z.literal("k8s"),
    compute_config: computeConfig,
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  }),
);
export type ListenerBody = z.infer<typeof listenerResponse>;

export const listenersListResponse = named(
  "ListenersList",
  z.looseObject({ resources: z.array(listenerResponse), offset: z.int() }),
);

export const listenerCreateRequest = named(
  "ListenerCreateRequest",
  z.object({
    version: z.string().nullish(),
    compute_type: z.literal("k8s"),
    compute_id: z.string().min(1).max(255),
    compute_config: computeConfig,
  }),
);
export type ListenerCreateBody = z.infer<typeof listenerCreateRequest>;

/** `compute_type` and `compute_id` can't change, but may be sent unchanged. */
export const listenerPatchRequest = named(
  "ListenerPatchRequest",
  z.object({
    version: z.string().nullish(),
    compute_config: computeConfig.nullish(),
    compute_type: z.string().nullish(),
    compute_id: z.string().nullish(),
  }),
);
export type ListenerPatchBody = z.infer<typeof listenerPatchRequest>;
