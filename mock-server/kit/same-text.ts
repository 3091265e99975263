import { timingSafeEqual } from "node:crypto";

/** Whether a secret is the expected one, in a time that tells its length at most. */
export function isSameText(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}
