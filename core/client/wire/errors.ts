import { z } from "zod";

/** One invalid field of a request: where (`loc`), what (`msg`), and a machine-readable `type`. */
export const validationErrorSchema = z.looseObject({
  loc: z.array(z.union([z.string(), z.int()])),
  msg: z.string(),
  type: z.string(),
});

/** Body of a 422. */
export const httpValidationErrorSchema = z.looseObject({ detail: z.array(validationErrorSchema) });

/** Body of every other error. */
export const errorDetailSchema = z.looseObject({ detail: z.string() });
