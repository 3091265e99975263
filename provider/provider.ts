import * as pulumi from "@pulumi/pulumi";
import type { Region } from "../core/client/connection.ts";
import type { DialectSetting, Open } from "../core/client/wire/conventions.ts";

/** How to connect. Anything that isn't given comes from the environment, then from the stack's configuration. */
export interface ProviderArgs {
  /**
   * An API key. For one from the stack's configuration (`config.requireSecret("euApiKey")`), the state stores its name
   * there, not its value. Any other key is stored in the state, encrypted, since a destroy needs it. It is then a
   * secret output as well, which Pulumi prints in plain text in its own debug log (`--debug`, or `--logtostderr` with
   * `-v=3` or more). Prefer {@link apiKeyConfig} or {@link apiKeyEnv}: then the key isn't stored, and a rotated one
   * takes effect at once.
   */
  apiKey?: pulumi.Input<string>;
  /** Name of the environment variable that holds the API key, for example `EU_API_KEY`. */
  apiKeyEnv?: string;
  /**
   * Name of the stack configuration value that holds the API key, for example `euApiKey` (of this project) or
   * `other:apiKey`.
   */
  apiKeyConfig?: string;
  /** @default the key's own workspace */
  workspaceId?: pulumi.Input<string>;
  /** `us` or `eu`; not together with {@link baseUrl}. */
  region?: pulumi.Input<Open<Region>>;
  /** The address of a self-hosted control plane: `https://<host>/api-host`. */
  baseUrl?: pulumi.Input<string>;
  /** The names of fields in requests: `auto`, `graph` or `langgraph`. @default "auto" */
  dialect?: pulumi.Input<Open<DialectSetting>>;
  /**
   * Hosts inside your own cluster or Compose network that {@link baseUrl} may reach over plain http, for example
   * `mock:8124`. Each is `host` or `host:port`. @default only loopback: elsewhere the API key could be read in transit
   */
  allowHttpHosts?: pulumi.Input<pulumi.Input<string>[]>;
}

/**
 * A control plane, region or workspace other than the default: `new Deployment("agent", args, { provider: eu })`.
 *
 * It isn't a resource; its settings become part of each deployment's inputs.
 */
export class Provider {
  /** @internal */
  readonly connection: Readonly<pulumi.Inputs>;

  constructor(args: ProviderArgs) {
    const { apiKey, ...rest } = args;
    const given = (["apiKey", "apiKeyEnv", "apiKeyConfig"] as const).filter((name) => args[name] !== undefined);
    if (given.length > 1) throw new Error(`Provider: ${given.join(" and ")} are given. Keep one of them.`);
    this.connection = { ...rest, ...(apiKey === undefined ? {} : { apiKey: pulumi.secret(apiKey) }) };
  }
}
