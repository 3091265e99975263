import type { DeploymentInputs } from "./state.ts";
import { isUnknown } from "./unknown.ts";

/** How Pulumi writes a secret in properties. Source: `runtime/rpc` of @pulumi/pulumi. */
const signatureKey = "4dabf18193072939515e22adb298388d";
const secretSignature = "1b47061264138c4ac30d75fd1eb44270";

/**
 * Inputs whose secrets are wrapSecret for the engine, which then encrypts them wherever it keeps them. The constructor marks them too, but a
 * transformation may put plain values in their place afterwards.
 */
export function wrapSecrets(inputs: DeploymentInputs): DeploymentInputs {
  const { secrets, connection } = inputs;
  return {
    ...inputs,
    ...(secrets === undefined ? {} : { secrets: wrapEach(secrets) }),
    ...(connection?.apiKey === undefined
      ? {}
      : { connection: { ...connection, apiKey: wrapSecret(connection.apiKey) } }),
  };
}

/** Value by value: the engine forgets the mark of a map where the program's is plain. */
function wrapEach<Values extends object>(values: Values): Values {
  if (typeof values !== "object" || values === null) return wrapSecret(values);
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, wrapSecret(value)])) as Values;
}

function wrapSecret<Value>(value: Value): Value {
  // A null is refused, and an unknown value is only shown.
  return value === null || isUnknown(value) ? value : ({ [signatureKey]: secretSignature, value } as Value);
}

/** `value` with what is wrapSecret as a secret in it unmarked: the engine hands plain values on, a test's engine or a mock may not. */
export function unwrapSecrets<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(unwrapSecrets) as Value;
  if (typeof value !== "object" || value === null) return value;
  const fields = value as Record<string, unknown>;
  if (fields[signatureKey] === secretSignature) return unwrapSecrets(fields.value) as Value;
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, unwrapSecrets(field)])) as Value;
}
