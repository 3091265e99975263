import { z } from "zod";
import { githubIntegrationSchema, githubRepositorySchema } from "../../../core/client/wire/deployments.ts";
import { named } from "../schema-names.ts";

export const integrationResponse = named(
  "GithubIntegration",
  githubIntegrationSchema.extend({ id: z.guid(), installation_id: z.int(), name: z.string() }),
);
export type IntegrationBody = z.infer<typeof integrationResponse>;

export const repositoryResponse = named(
  "GithubRepository",
  githubRepositorySchema.extend({
    host_integration_id: z.guid(),
    id: z.int(),
    name: z.string(),
    owner: z.string(),
    url: z.string(),
    default_branch: z.string(),
  }),
);
export type RepositoryBody = z.infer<typeof repositoryResponse>;
