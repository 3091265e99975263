import { ControlPlane } from "../core/client/client.ts";
import { refuseUnusableProxy } from "../core/client/connection.ts";
import { ConfigError } from "../core/client/errors.ts";
import type { Logger } from "../core/redact.ts";
import { resolveSettings, type Settings } from "../core/settings.ts";
import type { ConnectionInputs, DeploymentState } from "./state.ts";

/** The stack's configuration, as Pulumi passes it to a provider or a program. */
export interface StackConfig {
  get(key: string): string | undefined;
}

/**
 * Resolves the settings of a connection: its own inputs, then the environment, then the stack's `graphdeploy:*`
 * configuration.
 * @throws {@link SettingsError} for settings that are missing, unknown or contradict each other; {@link ConfigError}
 * for a proxy that can't be used
 */
export function settingsOf(connection: ConnectionInputs = {}, config: StackConfig | undefined): Settings {
  const get = (name: string) => config?.get(`graphdeploy:${name}`);
  const { apiKeyConfig, ...explicit } = connection;
  if (apiKeyConfig !== undefined) explicit.apiKey = keyFromConfig(apiKeyConfig, config);
  const { settings, problems } = resolveSettings({
    explicit,
    env: process.env,
    fallback: {
      apiKey: get("apiKey"),
      apiKeyEnv: get("apiKeyEnv"),
      workspaceId: get("workspaceId"),
      region: get("region"),
      baseUrl: get("baseUrl"),
      dialect: get("dialect"),
      allowHttpHosts: get("allowHttpHosts"),
    },
    names: {
      explicit: "apiKey, apiKeyEnv or apiKeyConfig of the Provider",
      fallback: "the stack configuration graphdeploy:apiKey",
    },
  });
  if (settings === undefined) throw new SettingsError(problems);
  refuseUnusableProxy(process.env, settings.baseUrl, settings.allowHttpHosts);
  return settings;
}

/** All problems with the settings. */
export class SettingsError extends ConfigError {
  static override readonly kind = "SettingsError";
  readonly problems: readonly ConfigError[];

  constructor(problems: readonly ConfigError[]) {
    const [first] = problems;
    super(problems.map(({ message }) => message).join(" "), first?.path === undefined ? {} : { path: first.path });
    this.problems = problems;
  }
}

function keyFromConfig(name: string, config: StackConfig | undefined): string {
  const key = config?.get(name);
  if (key !== undefined && key !== "") return key;
  throw new ConfigError(`apiKeyConfig: the stack configuration has no ${name}.`, {
    path: "apiKeyConfig",
    hint: `Set it with \`pulumi config set --secret ${name}\`, or name another one.`,
  });
}

/**
 * Replaces a key that is one of the stack's configuration values by the name of that value. So the key is in no output,
 * which Pulumi's debug log would print, and a rotated key takes effect at once, also in a destroy, which gets the
 * configuration as well.
 */
export function withKeyByName(
  connection: ConnectionInputs | undefined,
  config: StackConfig | undefined,
): ConnectionInputs | undefined {
  if (typeof connection?.apiKey !== "string") return connection;
  const { apiKey, ...rest } = connection;
  // Pulumi's class for the configuration doesn't list its names. Where this private field is missing, the key stays.
  const values = (config as { rawConfig?: unknown } | undefined)?.rawConfig;
  if (typeof values !== "object" || values === null) return connection;
  const name = Object.entries(values).find(([, value]) => value === apiKey)?.[0];
  return name === undefined ? connection : { ...rest, apiKeyConfig: name };
}

/**
 * The settings for an existing deployment, of the control plane and the workspace that made it.
 * @throws {@link ConfigError} when the settings now name another one, where the deployment would look deleted
 */
export function settingsFor(
  state: DeploymentState,
  connection: ConnectionInputs | undefined,
  config: StackConfig | undefined,
): Settings {
  const settings = settingsOf(connection, config);
  refuseOtherWorkspace(state, settings);
  return { ...settings, workspaceId: settings.workspaceId ?? state.tenantId };
}

/**
 * @throws {@link ConfigError} when `settings` name another control plane or workspace than the one that made the
 * deployment
 */
export function refuseOtherWorkspace(
  state: DeploymentState,
  settings: Pick<Settings, "baseUrl" | "workspaceId">,
): void {
  const { baseUrl, tenantId, name } = state;
  const differences = [
    baseUrl !== undefined &&
      baseUrl !== settings.baseUrl &&
      `the control plane is ${settings.baseUrl} now and was ${baseUrl}`,
    tenantId !== undefined &&
      settings.workspaceId !== undefined &&
      settings.workspaceId !== tenantId &&
      `the workspace is ${settings.workspaceId} now and was ${tenantId}`,
  ].filter((difference) => difference !== false);
  if (differences.length === 0) return;
  throw new ConfigError(
    `Deployment ${name ?? ""} was made elsewhere: ${differences.join(", and ")}. Nothing was requested or changed.`,
    {
      path: "connection",
      hint: "Set the base URL, region and workspace back. To move a deployment, remove it from the program with the old settings, then add it with the new ones.",
    },
  );
}

export function connect(settings: Settings, logger?: Logger): ControlPlane {
  return new ControlPlane({ ...settings, ...(logger === undefined ? {} : { logger }), userAgent: "pulumi" });
}
