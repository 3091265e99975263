import type { z } from "zod";
import { nearestName } from "../../core/names.ts";

/** The end of a sentence about an unknown name, with the most similar known one; empty if none is similar. */
export function didYouMean(name: string, known: readonly string[]): string {
  const likely = nearestName(name, known);
  return likely === undefined ? "" : `; did you mean "${likely}"?`;
}

/** For zod's `parse`: names each unknown key of a strict object, and the known one that was probably meant. */
export const namingUnknownKeys = {
  error(issue: z.core.$ZodRawIssue): string | undefined {
    if (issue.code !== "unrecognized_keys") return undefined;
    const { shape = {} } = (issue.inst as z.ZodObject | undefined)?._zod.def ?? {};
    const keys = (issue.keys as string[]).map((key) => `"${key}"${didYouMean(key, Object.keys(shape))}`);
    return `Unrecognized key: ${keys.join(", ")}`;
  },
};
