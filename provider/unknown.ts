/** How Pulumi writes a value that preview doesn't know yet. Source: `runtime/rpc` of @pulumi/pulumi. */
const unknownValue = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

export function isUnknown(value: unknown): boolean {
  return value === unknownValue;
}

/** Whether a value is unknown or holds one. */
export function hasUnknown(value: unknown): boolean {
  if (isUnknown(value)) return true;
  return typeof value === "object" && value !== null && Object.values(value).some(hasUnknown);
}
