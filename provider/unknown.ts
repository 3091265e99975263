/**
 * Pulumi's placeholder for a value of any type that a preview doesn't know yet. Source: `runtime/rpc` of
 * @pulumi/pulumi.
 */
export const unknownValue = "04da6b54-80e4-46f7-96ec-b56ff0331ba9" as never;

export function isUnknown(value: unknown): boolean {
  return value === unknownValue;
}

/** Whether a value is unknown or contains an unknown one. */
export function hasUnknown(value: unknown): boolean {
  if (isUnknown(value)) return true;
  return typeof value === "object" && value !== null && Object.values(value).some(hasUnknown);
}
