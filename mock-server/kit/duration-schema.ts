import { z } from "zod";
import { parseDuration } from "../../core/time.ts";

const message = "Input should be a duration such as 5s";

/** Whether `value` is a non-negative duration. */
export function isDuration(value: string | number): boolean {
  try {
    parseDuration(value, "");
    return true;
  } catch {
    return false;
  }
}

/** A duration as users write it: a number with a unit, or a number of seconds. */
export const durationSchema = z.union([z.string(), z.number()], { error: message }).refine(isDuration, message);
