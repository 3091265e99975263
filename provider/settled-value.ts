import * as pulumi from "@pulumi/pulumi";
import { unwrapSecrets } from "./wrapped-secrets.ts";

/**
 * The value of an output without its dependencies; Pulumi's placeholder where a preview doesn't know it (see
 * `isUnknown`). Unlike with `apply`, the promise always settles.
 */
export async function settledValue<Value>(value: pulumi.Input<Value>): Promise<Value> {
  const serialized = await pulumi.runtime.serializeProperties("settledValue", { value });
  return unwrapSecrets(serialized.value);
}
