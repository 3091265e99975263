import { z } from "zod";
import type { HttpResponse } from "../kit/http/http-response.ts";
import type { QueryParameter } from "../kit/operation/operation.ts";

/** The query parameters of every listing. */
export const pagingParameters = {
  limit: {
    kind: "integer",
    schema: z.int().min(1).max(100).default(20),
    description: "How many resources to return at most.",
  },
  offset: {
    kind: "integer",
    schema: z.int().min(0).default(0),
    description: "Where to go on: the offset that the page before returned.",
  },
} as const satisfies Record<string, QueryParameter>;

/** The response with one page of a listing. */
export function pageOf(resources: readonly unknown[], { offset }: { offset: number }): HttpResponse {
  return { status: 200, body: { resources, offset: offset + resources.length } };
}

export const optionalText = (description: string) =>
  ({ kind: "string", schema: z.string().nullish(), description }) as const;

export const optionalFlag = (description: string) =>
  ({ kind: "boolean", schema: z.boolean().nullish(), description }) as const;
