import * as pulumi from "@pulumi/pulumi";
import type { ControlPlane } from "../core/client/client.ts";
import { connect, settingsOf } from "./connection.ts";
import type { Provider } from "./provider.ts";
import { settledValue } from "./settled-value.ts";
import type { ConnectionInputs } from "./state.ts";
import { hasUnknown } from "./unknown.ts";

/** Options of the functions that read from the control plane while a program runs. */
export interface LookupOptions {
  /** @default the settings of the environment and the stack's configuration */
  provider?: Provider;
}

/** Reads what `args` name. It connects only once they are valid. */
type Lookup<Args, Result> = (args: Args, connectNow: () => ControlPlane) => Promise<Result>;

/**
 * Runs a lookup at once, for the function `name`.
 * @throws Error when the settings are incomplete or not known yet; the lookup's errors
 */
export async function lookUpNow<Args, Result>(
  name: string,
  lookup: Lookup<Args, Result>,
  args: Args,
  { provider }: LookupOptions,
): Promise<Result> {
  const connection = await settledValue(provider?.connection ?? {});
  if (hasUnknown(connection)) {
    throw new Error(`${name}: the settings of the provider aren't known yet. Use ${name}Output.`);
  }
  return lookup(args, () => connectWith(connection as ConnectionInputs));
}

/** Runs a lookup when its arguments and the settings are known; in a preview in which they aren't, it doesn't run. */
export function lookUpOutput<Args, Result>(
  lookup: Lookup<Args, Result>,
  args: pulumi.Inputs,
  { provider }: LookupOptions,
): pulumi.Output<Result> {
  return pulumi
    .all([pulumi.output(args), pulumi.output(provider?.connection ?? {})])
    .apply(([known, connection]) => lookup(known as Args, () => connectWith(connection as ConnectionInputs)));
}

function connectWith(connection: ConnectionInputs): ControlPlane {
  const config = new pulumi.Config("graphdeploy");
  return connect(settingsOf(connection, { get: (key) => config.get(key.slice("graphdeploy:".length)) }));
}

/** @throws Error when `value` isn't a text with something in it */
export function requireText(name: string, argument: string, value: unknown): void {
  if (typeof value === "string" && value.trim() !== "") return;
  throw new Error(`${name}: the ${argument} is empty, or not a string.`);
}
