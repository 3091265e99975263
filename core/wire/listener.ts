import { z } from "zod";
import { openEnum } from "./open-enum.ts";

/** Where a listener deploys to. `k8s_namespaces` absent or null: any namespace. */
export const listenerComputeConfigSchema = z.looseObject({ k8s_namespaces: z.array(z.string()).nullish() });

/** What brings deployments into a cluster of the customer's (self-hosted only). */
export const listenerSchema = z.looseObject({
  id: z.string().min(1),
  version: z.string().nullish(),
  compute_type: openEnum(["k8s"]),
  /** Unique in its workspace. */
  compute_id: z.string(),
  compute_config: listenerComputeConfigSchema,
  created_at: z.string(),
  updated_at: z.string(),
});
