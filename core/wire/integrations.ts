import { z } from "zod";

/** A link between the workspace and an account of the repository host. `id` is what `source_config.integration_id` takes. */
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
