import type { Fields } from "../../agent-server/engine/contract.ts";

/** Thrown for a value that can't be sent as JSON. */
class SerializationError extends Error {
  override readonly name = "SerializationError";
}

/**
 * Serializes a value as agent servers send it: messages as flat objects with a `type`.
 * @throws {SerializationError} naming the place in `value`, which is called `name`.
 */
export function wireJson(value: unknown, name: string): string {
  const plain = isPlain(value, 0) ? value : flattened(value, name, []);
  return JSON.stringify(plain) ?? "null";
}

/** Like {@link wireJson}, as a plain value. */
export function wireValue<Value>(value: unknown, name: string): Value {
  return JSON.parse(wireJson(value, name)) as Value;
}

const maxPlainDepth = 50;

/**
 * Whether JSON.stringify suffices. False for deeply nested values, which may be cycles: {@link flattened} finds these.
 */
function isPlain(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return typeof value !== "bigint";
  if (depth > maxPlainDepth) return false;
  if (Array.isArray(value)) {
    for (const item of value) if (!isPlain(item, depth + 1)) return false;
    return true;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  if ("toJSON" in value || "toDict" in value) return false;
  for (const key in value) if (!isPlain((value as Fields)[key], depth + 1)) return false;
  return true;
}

function flattened(value: unknown, path: string, around: object[]): unknown {
  if (typeof value === "bigint") throw new SerializationError(`${path} can't be sent as JSON: it is a bigint.`);
  if (typeof value !== "object" || value === null) return value;
  if (around.includes(value)) throw new SerializationError(`${path} can't be sent as JSON: it contains itself.`);
  const inside = [...around, value];
  if (Array.isArray(value)) return value.map((item, index) => flattened(item, `${path}[${index}]`, inside));
  if (value instanceof Error) return { error: value.name, message: value.message };
  if ("toDict" in value && typeof value.toDict === "function") {
    const { type, data } = value.toDict() as { type: string; data: Fields };
    return flattened({ ...data, type }, path, inside);
  }
  if ("toJSON" in value && typeof value.toJSON === "function") return flattened(value.toJSON(), path, inside);
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, flattened(item, `${path}.${key}`, inside)]),
  );
}
