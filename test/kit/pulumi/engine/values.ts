import { type Properties, unknown } from "../dynamic-process.ts";

// The wire format of a secret value, in a program's requests and in this engine's state.
const signatureKey = "4dabf18193072939515e22adb298388d";
const secretSignature = "1b47061264138c4ac30d75fd1eb44270";

interface Secret {
  readonly value: unknown;
}

function isRecord(value: unknown): value is Properties {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isSecret(value: unknown): value is Secret & Properties {
  return isRecord(value) && value[signatureKey] === secretSignature;
}

export function asSecret(value: unknown): Properties {
  return isSecret(value) ? value : { [signatureKey]: secretSignature, value };
}

/** A map of properties that isn't a secret as a whole. */
export function isMap(value: unknown): value is Properties {
  return isRecord(value) && !isSecret(value);
}

function mapValues(value: unknown, change: (value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map(change);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, change(field)]));
}

/** Values as a dynamic provider, which accepts no secrets, gets them: in plain text. */
export function revealed<Value>(value: Value): Value {
  return (isSecret(value) ? revealed(value.value) : mapValues(value, revealed)) as Value;
}

/** Values as a state file shows them: each secret encrypted. */
export function concealed<Value>(value: Value): Value {
  return (isSecret(value) ? asSecret("ciphertext") : mapValues(value, concealed)) as Value;
}

export function hasSecrets(value: unknown): boolean {
  if (isSecret(value)) return true;
  if (Array.isArray(value)) return value.some(hasSecrets);
  return isRecord(value) && Object.values(value).some(hasSecrets);
}

/** Wraps the results of a provider that doesn't accept secrets: a value is secret if the input of the same name was. */
export function withSecretsOf(returned: Properties, sent: Properties): Properties {
  const result: Properties = { ...returned };
  for (const [name, before] of Object.entries(sent)) {
    if (!Object.hasOwn(result, name)) continue;
    const value = result[name];
    if (isMap(value) && isMap(before)) result[name] = withSecretsOf(value, before);
    else if (hasSecrets(before)) result[name] = asSecret(value);
  }
  return result;
}

/** Wraps outputs that are secret because the input of the same name is, or by the resource's options. */
export function withSecretOutputs(outputs: Properties, inputs: Properties, names: readonly string[]): Properties {
  const isHidden = (name: string) => names.includes(name) || isSecret(inputs[name]);
  return Object.fromEntries(
    Object.entries(outputs).map(([name, value]) => [name, isHidden(name) ? asSecret(value) : value]),
  );
}

/** Whether a value contains an unknown one. */
export function hasUnknown(value: unknown): boolean {
  if (value === unknown) return true;
  if (Array.isArray(value)) return value.some(hasUnknown);
  return isRecord(value) && Object.values(value).some(hasUnknown);
}
