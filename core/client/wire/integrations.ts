import { z } from "zod";
import { openEnum } from "./deployments.ts";

/**
 * A link between the workspace and an account of the repository host. `id` is what `source_config.integration_id`
 * takes.
 */
export const githubIntegrationSchema = z.looseObject({
  id: z.string().min(1),
  /** The account's name. */
  name: z.string().nullish(),
});
export type GithubIntegration = z.infer<typeof githubIntegrationSchema>;

/** A repository that an integration can read. `url` is what `source_config.repo_url` takes. */
export const githubRepositorySchema = z.looseObject({
  url: z.string(),
  owner: z.string().nullish(),
  name: z.string().nullish(),
  default_branch: z.string().nullish(),
});
export type GithubRepository = z.infer<typeof githubRepositorySchema>;

/** Where a listener deploys to. Without `k8s_namespaces`: any namespace. */
export const listenerComputeConfigSchema = z.looseObject({ k8s_namespaces: z.array(z.string()).nullish() });

/** The component that runs deployments in a customer's cluster (self-hosted only). */
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
