import * as pulumi from "@pulumi/pulumi";

/** How to connect. What isn't given comes from the environment, then from the stack's configuration. */
export interface ProviderArgs {
  /** An API key; kept as a secret in the state. Prefer {@link apiKeyEnv}, so that a rotated key is used at once. */
  apiKey?: pulumi.Input<string>;
  /** Name of the environment variable that holds the API key, for example `EU_API_KEY`. */
  apiKeyEnv?: string;
  /** @default the key's own workspace */
  workspaceId?: pulumi.Input<string>;
  /** `us` or `eu`; not together with {@link baseUrl}. */
  region?: pulumi.Input<string>;
  /** Of a self-hosted installation: `https://<host>/api-host`. */
  baseUrl?: pulumi.Input<string>;
  /** Names on the wire: `auto`, `graph` or `langgraph`. @default "auto" */
  dialect?: pulumi.Input<string>;
}

/**
 * Another control plane, region or workspace than the default one: `new Deployment("agent", args, { provider: eu })`.
 *
 * It isn't a resource of its own: what it holds becomes part of each deployment's inputs.
 */
export class Provider {
  /** @internal */
  readonly connection: Readonly<Record<string, pulumi.Input<string> | undefined>>;

  constructor(args: ProviderArgs) {
    const { apiKey, ...rest } = args;
    if (apiKey !== undefined && args.apiKeyEnv !== undefined) {
      throw new Error("Provider: apiKey and apiKeyEnv are both given. Keep one of the two.");
    }
    this.connection = { ...rest, ...(apiKey === undefined ? {} : { apiKey: pulumi.secret(apiKey) }) };
  }
}
