import { z } from "zod";

/** The text of a regular expression in a configuration file. */
export const regularExpression = z.string().refine((pattern) => isRegExp(pattern), {
  error: "must be a regular expression",
});

function isRegExp(pattern: string): boolean {
  try {
    new RegExp(pattern);
    return true;
  } catch {
    return false;
  }
}
