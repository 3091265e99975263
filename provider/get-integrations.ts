import type * as pulumi from "@pulumi/pulumi";
import type { ControlPlane } from "../core/client/client.ts";
import { existing } from "./lookup.ts";
import { type LookupOptions, lookUpNow, lookUpOutput, requireText } from "./program-lookup.ts";

export interface GetIntegrationsArgs {
  /** Only those with the account of this name, in any case, for example `acme`. @default all */
  name?: string | undefined;
}

/** {@link GetIntegrationsArgs} that may be outputs of other resources. */
export interface GetIntegrationsOutputArgs {
  name?: pulumi.Input<string | undefined>;
}

/** A link between the workspace and an account of the repository host. */
export interface IntegrationResult {
  /** What `sourceConfig.integrationId` takes. */
  id: string;
  /** The account's name. */
  name: string | undefined;
}

export interface GetIntegrationsResult {
  integrations: IntegrationResult[];
}

/**
 * Lists the integrations of the workspace. A deployment with `integration: "auto"` needs none of them: it finds its own.
 * @throws Error when the settings are incomplete or not known yet; the client's errors
 */
export async function getIntegrations(
  args: GetIntegrationsArgs = {},
  options: LookupOptions = {},
): Promise<GetIntegrationsResult> {
  return lookUpNow("getIntegrations", listIntegrations, args, options);
}

/** {@link getIntegrations} for arguments that are outputs of other resources. */
export function getIntegrationsOutput(
  args: GetIntegrationsOutputArgs = {},
  options: LookupOptions = {},
): pulumi.Output<GetIntegrationsResult> {
  return lookUpOutput(listIntegrations, { ...args }, options);
}

async function listIntegrations(
  { name }: GetIntegrationsArgs,
  connectNow: () => ControlPlane,
): Promise<GetIntegrationsResult> {
  if (name !== undefined) requireText("getIntegrations", "name", name);
  const all = await connectNow().integrations.list();
  const found = all.filter((entry) => name === undefined || entry.name?.toLowerCase() === name.toLowerCase());
  return { integrations: found.map((entry) => ({ id: entry.id, name: entry.name ?? undefined })) };
}

export interface GetRepositoriesArgs {
  /** The integration's id, for example from {@link getIntegrations}. */
  integrationId: string;
}

/** {@link GetRepositoriesArgs} that may be outputs of other resources. */
export interface GetRepositoriesOutputArgs {
  integrationId: pulumi.Input<string>;
}

/** A repository that an integration can read. */
export interface RepositoryResult {
  /** What `sourceConfig.repoUrl` takes. */
  url: string;
  owner: string | undefined;
  name: string | undefined;
  defaultBranch: string | undefined;
}

export interface GetRepositoriesResult {
  repositories: RepositoryResult[];
}

/**
 * Lists the repositories that an integration can read.
 * @throws Error when there is no such integration, or when the settings are incomplete or not known yet; the client's
 * errors
 */
export async function getRepositories(
  args: GetRepositoriesArgs,
  options: LookupOptions = {},
): Promise<GetRepositoriesResult> {
  return lookUpNow("getRepositories", listRepositories, args, options);
}

/** {@link getRepositories} for arguments that are outputs of other resources. */
export function getRepositoriesOutput(
  args: GetRepositoriesOutputArgs,
  options: LookupOptions = {},
): pulumi.Output<GetRepositoriesResult> {
  return lookUpOutput(listRepositories, { ...args }, options);
}

async function listRepositories(
  { integrationId }: GetRepositoriesArgs,
  connectNow: () => ControlPlane,
): Promise<GetRepositoriesResult> {
  requireText("getRepositories", "integrationId", integrationId);
  const client = connectNow();
  const found = await existing(
    client,
    "integration",
    integrationId,
    client.integrations.listRepositories(integrationId),
  );
  return {
    repositories: found.map(({ url, owner, name, default_branch: defaultBranch }) => ({
      url,
      owner: owner ?? undefined,
      name: name ?? undefined,
      defaultBranch: defaultBranch ?? undefined,
    })),
  };
}
