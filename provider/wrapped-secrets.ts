import type { DeploymentInputs } from "./state.ts";
import { isUnknown } from "./unknown.ts";

/**
 * The key and the signature by which Pulumi represents a secret in properties. Source: `runtime/rpc` of @pulumi/pulumi.
 */
const signatureKey = "4dabf18193072939515e22adb298388d";
const secretSignature = "1b47061264138c4ac30d75fd1eb44270";

/**
 * Wraps the secrets among the inputs, so that the engine encrypts them wherever it stores them. The constructor wraps
 * them as well, but a transformation may replace them by plain values.
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

/** Wraps each value: the engine drops the wrapper of a map if the program's map is plain. */
function wrapEach<Values extends object>(values: Values): Values {
  if (typeof values !== "object" || values === null) return wrapSecret(values);
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, wrapSecret(value)])) as Values;
}

function wrapSecret<Value>(value: Value): Value {
  // Nulls are refused later, and unknown values hold no secret.
  return value === null || isUnknown(value) ? value : ({ [signatureKey]: secretSignature, value } as Value);
}

/** `value` with all secrets in it unwrapped. The engine passes plain values, but Pulumi's mocks may not. */
export function unwrapSecrets<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(unwrapSecrets) as Value;
  if (typeof value !== "object" || value === null) return value;
  const fields = value as Record<string, unknown>;
  if (fields[signatureKey] === secretSignature) return unwrapSecrets(fields.value) as Value;
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, unwrapSecrets(field)])) as Value;
}
