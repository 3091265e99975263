/**
 * How Pulumi writes a value that preview doesn't know yet, of whatever type: so it may stand in the place of any. Source: `runtime/rpc` of
 * @pulumi/pulumi.
 */
export const unknownValue = "04da6b54-80e4-46f7-96ec-b56ff0331ba9" as never;

export function isUnknown(value: unknown): boolean {
  return value === unknownValue;
}

/** Whether a value is unknown or holds one. */
export function hasUnknown(value: unknown): boolean {
  if (isUnknown(value)) return true;
  return typeof value === "object" && value !== null && Object.values(value).some(hasUnknown);
}
