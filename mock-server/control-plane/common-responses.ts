import type { OperationResponse } from "../kit/operation/operation.ts";
import { errorDetail, httpValidationError } from "./schemas.ts";

/**
 * Responses that many operations share. Those of all operations, such as 401 and 403, are described in the introduction
 * of the reference.
 */
export const validationFailed: OperationResponse = {
  description: "A part of the request is missing or invalid.",
  schema: httpValidationError,
};
/** Responses of operations with a body, before they read it. */
export const bodyResponses: Record<number, OperationResponse> = {
  400: { description: "The body isn't UTF-8.", schema: errorDetail },
  413: { description: "The body is larger than the server accepts.", schema: errorDetail },
};
export const ruleBroken: OperationResponse = { description: "The request breaks a rule.", schema: errorDetail };
export const notFound: OperationResponse = {
  description: "No such deployment or revision in this workspace.",
  schema: errorDetail,
};
