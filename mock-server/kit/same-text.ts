import { timingSafeEqual } from "node:crypto";

/** Compares secrets in constant time; only the length can leak. */
export function isSameText(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}
