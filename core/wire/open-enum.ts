import { z } from "zod";

/** A value that is known, or any other string: a newer server may send values that this version has never seen. */
export type Open<Known extends string> = Known | (string & {});

/**
 * A string whose known values are documented but not enforced, so that an unknown value from a server survives a round trip.
 * The known values are kept in the schema's metadata under `enum`.
 */
export function openEnum<const Known extends string>(known: readonly Known[]): z.ZodType<Open<Known>, Open<Known>> {
  return z.string().meta({ enum: [...known] });
}
