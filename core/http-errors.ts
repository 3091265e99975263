import {
  ApiError,
  type ApiErrorOptions,
  AuthenticationError,
  BadRequestError,
  ConflictError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  ValidationError,
} from "./errors.ts";
import { isServiceHost } from "./hosts.ts";
import type { Redactor } from "./redact.ts";
import { errorDetailSchema, httpValidationErrorSchema } from "./wire/validation-error.ts";

/** The longest piece of a foreign body that goes into a message, in characters. */
const longestDetail = 500;

export interface RequestPlace {
  method: string;
  path: string;
  baseUrl: string;
}

/**
 * The error class for a status that isn't a success. `text` is the body as it came: what is taken from it is redacted after it was decoded,
 * because JSON can spell a value in ways that no pattern knows, and before it is cut, because half a secret isn't recognized.
 */
export function toApiError(
  where: RequestPlace,
  status: number,
  text: string,
  requestId: string | undefined,
  redactor: Redactor,
): ApiError {
  const { detail, locations, answeredByControlPlane } = readDetail(text, redactor);
  const options: ApiErrorOptions = {
    status,
    method: where.method,
    path: where.path,
    detail,
    requestId,
    answeredByControlPlane,
    hint: hintFor(status, where, answeredByControlPlane),
  };
  if (status === 400) return new BadRequestError(options);
  if (status === 401) return new AuthenticationError(options);
  if (status === 403) return new PermissionError(options);
  if (status === 404) return new NotFoundError(options);
  if (status === 409) return new ConflictError(options);
  if (status === 422) return new ValidationError({ ...options, locations });
  if (status === 429) return new RateLimitError(options);
  if (status >= 500) return new ServerError(options);
  return new ApiError(options);
}

function readDetail(
  text: string,
  redactor: Redactor,
): { detail: string; locations: string[]; answeredByControlPlane: boolean } {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    const start = text.trimStart().startsWith("<") ? "a web page" : shortened(redactor.text(text.trim()));
    return { detail: start === "" ? "no message" : start, locations: [], answeredByControlPlane: false };
  }
  const simple = errorDetailSchema.safeParse(json);
  if (simple.success) {
    return { detail: shortened(redactor.text(simple.data.detail)), locations: [], answeredByControlPlane: true };
  }
  const validation = httpValidationErrorSchema.safeParse(json);
  if (validation.success) {
    const problems = validation.data.detail.map(({ loc, msg }) => ({ place: redactor.text(loc.join(".")), msg }));
    const detail = redactor.text(problems.map(({ place, msg }) => `${place}: ${msg}`).join("; "));
    return { detail: shortened(detail), locations: problems.map(({ place }) => place), answeredByControlPlane: true };
  }
  const detail = shortened(JSON.stringify(redactor.deep(json)));
  return { detail, locations: [], answeredByControlPlane: false };
}

function shortened(detail: string): string {
  const text = detail.replace(/\.$/, "");
  return text.length <= longestDetail ? text : `${text.slice(0, longestDetail)}…`;
}

function hintFor(status: number, { baseUrl }: RequestPlace, answeredByControlPlane: boolean): string | undefined {
  if (status === 401) return "Check the API key: it is missing, mistyped, revoked, or of another installation.";
  if (status === 403) return "Check the workspace ID, and that the API key may work in that workspace.";
  if (status === 404 && !answeredByControlPlane) return htmlHint(baseUrl);
  if (status === 409) return "The name is in use in this workspace.";
  if (status === 429) return "The control plane limits the request rate; try again later.";
  if (status >= 500) return "The control plane had a problem of its own; try again later.";
  return undefined;
}

/** What to check when something other than the control plane answered. */
export function htmlHint(baseUrl: string): string {
  const url = new URL(baseUrl);
  if (!isServiceHost(url.hostname) && !url.pathname.endsWith("/api-host")) {
    return `The control plane of a self-hosted installation stands under /api-host: set the base URL to ${url.origin}/api-host.`;
  }
  return `Check the base URL ${baseUrl}: no control plane answers there.`;
}
