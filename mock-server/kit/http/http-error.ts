import type { ValidationIssue } from "../operation/validation-issues.ts";

/** Thrown for a response other than success; {@link errorResponses} turns it into one. */
export class HttpError extends Error {
  readonly status: number;
  readonly detail: string | ValidationIssue[];
  readonly headers: Record<string, string>;

  constructor(status: number, detail: string | ValidationIssue[], headers: Record<string, string> = {}) {
    super(typeof detail === "string" ? detail : "The request is not valid.");
    this.status = status;
    this.detail = detail;
    this.headers = headers;
  }
}

export const badRequest = (detail: string) => new HttpError(400, detail);
export const unprocessable = (issues: ValidationIssue[]) => new HttpError(422, issues);
