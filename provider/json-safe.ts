/**
 * A copy of `value` that Pulumi can serialize: undefined fields are left out and undefined items become null. An
 * `undefined` anywhere would make a call of the dynamic provider fail or hang after the deployment was created.
 */
export function jsonSafe<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map((item) => jsonSafe(item ?? null)) as Value;
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, field]) => field !== undefined && typeof field !== "function");
  return Object.fromEntries(entries.map(([name, field]) => [name, jsonSafe(field)])) as Value;
}
