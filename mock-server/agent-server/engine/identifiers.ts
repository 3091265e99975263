import { hash } from "node:crypto";

/** 32 hexadecimal digits that identify a name; deterministic. */
export function digitsOfName(name: string): string {
  return hash("sha256", name).slice(0, 32);
}

/** Milliseconds between the epoch of version 6 UUIDs and the Unix epoch. */
const gregorianOffset = 12_219_292_800_000n;
let lastTick = 0n;

/**
 * A version 6 UUID, greater than all created before in this process; its random part comes from `random`, a UUID. `now`
 * is in milliseconds since the epoch.
 */
export function orderedUuid(now: number, random: string): string {
  const tick = (BigInt(Math.trunc(now)) + gregorianOffset) * 10_000n;
  lastTick = tick > lastTick ? tick : lastTick + 1n;
  const digits = lastTick.toString(16).padStart(15, "0");
  return formatted(`${digits.slice(0, 12)}6${digits.slice(12)}${random.replaceAll("-", "").slice(16)}`);
}

function formatted(digits: string): string {
  const part = (from: number, to: number) => digits.slice(from, to);
  return `${part(0, 8)}-${part(8, 12)}-${part(12, 16)}-${part(16, 20)}-${part(20, 32)}`;
}

const uuidExpression = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return uuidExpression.test(text);
}
