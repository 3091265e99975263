import type { DeploymentInputs } from "./state.ts";
import { isUnknown } from "./unknown.ts";

/** How Pulumi writes a secret in properties. Source: `runtime/rpc` of @pulumi/pulumi. */
const markKey = "4dabf18193072939515e22adb298388d";
const secretMark = "1b47061264138c4ac30d75fd1eb44270";

/**
 * Inputs whose secrets are marked for the engine, which then encrypts them wherever it keeps them. The constructor marks them too, but a
 * transformation may put plain values in their place afterwards.
 */
export function withSecretsMarked(inputs: DeploymentInputs): DeploymentInputs {
  const { secrets, connection } = inputs;
  return {
    ...inputs,
    ...(secrets === undefined ? {} : { secrets: markedEach(secrets) }),
    ...(connection?.apiKey === undefined ? {} : { connection: { ...connection, apiKey: marked(connection.apiKey) } }),
  };
}

/** Value by value: the engine forgets the mark of a map where the program's is plain. */
function markedEach<Values extends object>(values: Values): Values {
  if (typeof values !== "object" || values === null) return marked(values);
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, marked(value)])) as Values;
}

function marked<Value>(value: Value): Value {
  // A null is refused, and an unknown value is only shown.
  return value === null || isUnknown(value) ? value : ({ [markKey]: secretMark, value } as Value);
}

/** `value` with what is marked as a secret in it unmarked: the engine hands plain values on, a test's engine or a mock may not. */
export function withoutSecretMarks<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(withoutSecretMarks) as Value;
  if (typeof value !== "object" || value === null) return value;
  const fields = value as Record<string, unknown>;
  if (fields[markKey] === secretMark) return withoutSecretMarks(fields.value) as Value;
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, withoutSecretMarks(field)])) as Value;
}
