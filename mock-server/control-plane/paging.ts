import { z } from "zod";
import type { HttpResponse } from "../kit/http/http-response.ts";
import type { QueryParameter } from "../kit/operation/operation.ts";

/** Query parameters of listings. */
export const pagingParameters = {
  limit: {
    kind: "integer",
    schema: z.int().min(1).max(100).default(20),
    description: "The maximum number of resources to return.",
  },
  offset: {
    kind: "integer",
    schema: z.int().min(0).default(0),
    description: "The offset of the page, as the previous page returned it.",
  },
} as const satisfies Record<string, QueryParameter>;

/** The response with a page of a listing. */
export function pageOf(resources: readonly unknown[], { offset }: { offset: number }): HttpResponse {
  return { status: 200, body: { resources, offset: offset + resources.length } };
}

export const optionalText = (description: string) =>
  ({ kind: "string", schema: z.string().nullish(), description }) as const;

export const optionalFlag = (description: string) =>
  ({ kind: "boolean", schema: z.boolean().nullish(), description }) as const;
