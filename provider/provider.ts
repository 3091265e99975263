import * as pulumi from "@pulumi/pulumi";
import type { Region } from "../core/client/hosts.ts";
import type { Open } from "../core/client/wire/deployments.ts";
import type { DialectSetting } from "../core/client/wire/naming.ts";

/** How to connect. What isn't given comes from the environment, then from the stack's configuration. */
export interface ProviderArgs {
  /**
   * An API key. One that stands in the stack's configuration (`config.requireSecret("euApiKey")`) is kept by its name there, not by its value. Any
   * other value is kept in the state, encrypted: a destroy needs it. Then it is a secret output as well, and Pulumi prints those in plain text in its
   * own debug log (`--debug`, or `--logtostderr` with `-v=3` or more). Prefer {@link apiKeyConfig} or {@link apiKeyEnv}, so that it is kept nowhere
   * and a rotated key is used at once.
   */
  apiKey?: pulumi.Input<string>;
  /** Name of the environment variable that holds the API key, for example `EU_API_KEY`. */
  apiKeyEnv?: string;
  /** Name of the stack configuration value that holds the API key, for example `euApiKey` (of this project) or `other:apiKey`. */
  apiKeyConfig?: string;
  /** @default the key's own workspace */
  workspaceId?: pulumi.Input<string>;
  /** `us` or `eu`; not together with {@link baseUrl}. */
  region?: pulumi.Input<Open<Region>>;
  /** Of a self-hosted installation: `https://<host>/api-host`. */
  baseUrl?: pulumi.Input<string>;
  /** Names on the wire: `auto`, `graph` or `langgraph`. @default "auto" */
  dialect?: pulumi.Input<Open<DialectSetting>>;
  /**
   * Hosts inside your own cluster or compose network that {@link baseUrl} may name with plain http, for example `mock:8124`. Each is `host` or
   * `host:port`. @default none but loopback: the API key could be read on its way
   */
  allowHttpHosts?: pulumi.Input<pulumi.Input<string>[]>;
}

/**
 * Another control plane, region or workspace than the default one: `new Deployment("agent", args, { provider: eu })`.
 *
 * It isn't a resource of its own: what it holds becomes part of each deployment's inputs.
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
