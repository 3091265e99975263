import type { OperationResponse } from "../kit/operation/operation.ts";
import { errorDetail, httpValidationError } from "./schemas.ts";

/** Responses that many operations share. 401 and 403 are every operation's and are described once, in the reference's introduction. */
export const validationFailed: OperationResponse = {
  description: "A part of the request is missing or of the wrong kind.",
  schema: httpValidationError,
};
/** What any operation that takes a body may respond before it has read it. */
export const bodyResponses: Record<number, OperationResponse> = {
  400: { description: "The body isn't UTF-8.", schema: errorDetail },
  413: { description: "The body is larger than the server takes.", schema: errorDetail },
};
export const ruleBroken: OperationResponse = { description: "The request breaks a rule.", schema: errorDetail };
export const notFound: OperationResponse = {
  description: "No such deployment or revision in this workspace.",
  schema: errorDetail,
};
