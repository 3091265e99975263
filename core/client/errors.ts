import type { LogEntry } from "./wire/revisions.ts";

/**
 * The core ships in two bundles (ESM and CommonJS), so an error may come from another copy of these classes. `instanceof` therefore asks
 * for the list of kinds that every instance carries under this registered symbol, not for the prototype.
 */
const kindsKey = Symbol.for("graphdeploy.error.kinds");

type ErrorClass = { readonly kind: string };

function kindsOf(errorClass: ErrorClass): string[] {
  const kinds: string[] = [];
  for (let link: unknown = errorClass; typeof link === "function"; link = Object.getPrototypeOf(link)) {
    const kind = (link as Partial<ErrorClass>).kind;
    if (kind !== undefined && !kinds.includes(kind)) kinds.push(kind);
  }
  return kinds;
}

/** Every error that this package throws on purpose. Messages are free of secrets. */
export class GraphDeployError extends Error {
  static readonly kind: string = "GraphDeployError";
  /** What to do about it, in one sentence; already part of the message where there is one. */
  readonly hint: string | undefined;

  constructor(message: string, options: { hint?: string | undefined; cause?: unknown } = {}) {
    super(
      options.hint === undefined ? message : `${message} ${options.hint}`,
      options.cause === undefined ? {} : { cause: options.cause },
    );
    this.hint = options.hint;
    this.name = (new.target as unknown as ErrorClass).kind;
    Object.defineProperty(this, kindsKey, { value: kindsOf(new.target as unknown as ErrorClass), enumerable: false });
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    if (typeof value !== "object" || value === null) return false;
    const kinds = (value as Record<symbol, unknown>)[kindsKey];
    // biome-ignore lint/complexity/noThisInStatic: each subclass asks for its own kind.
    return Array.isArray(kinds) && kinds.includes(this.kind);
  }
}

/** A mistake in what the user declared: settings, inputs or a file. `path` is the field, `line` the 1-based line of the file. */
export class ConfigError extends GraphDeployError {
  static override readonly kind: string = "ConfigError";
  readonly path: string | undefined;
  readonly line: number | undefined;

  constructor(message: string, options: { hint?: string; path?: string; line?: number; cause?: unknown } = {}) {
    super(message, options);
    this.path = options.path;
    this.line = options.line;
  }
}

/** A name that another deployment has. Nothing was created or changed. */
export class NameInUse extends ConfigError {
  static override readonly kind = "NameInUse";
  readonly deploymentId: string;
  /** The ownership marker of that deployment; `undefined` where it has none, or the platform hides it. */
  readonly marker: string | undefined;
  constructor(message: string, options: { deploymentId: string; marker: string | undefined; hint?: string }) {
    super(message, { path: "name", ...(options.hint === undefined ? {} : { hint: options.hint }) });
    this.deploymentId = options.deploymentId;
    this.marker = options.marker;
  }
}

export interface ApiErrorOptions {
  status: number;
  method: string;
  path: string;
  /** `detail` of the response body, or the start of its text. */
  detail: string;
  requestId?: string | undefined;
  hint?: string | undefined;
  /** The body was JSON with a `detail`: the control plane itself responded, not an intermediary. */
  fromControlPlane?: boolean;
}

/** The control plane responded with a status that isn't a success. */
export class ApiError extends GraphDeployError {
  static override readonly kind: string = "ApiError";
  readonly status: number;
  readonly method: string;
  readonly path: string;
  readonly detail: string;
  readonly requestId: string | undefined;
  readonly fromControlPlane: boolean;

  constructor(options: ApiErrorOptions) {
    const request = options.requestId === undefined ? "" : ` (request ${options.requestId})`;
    super(`${options.method} ${options.path} responded with ${options.status}: ${options.detail}${request}.`, options);
    this.status = options.status;
    this.method = options.method;
    this.path = options.path;
    this.detail = options.detail;
    this.requestId = options.requestId;
    this.fromControlPlane = options.fromControlPlane ?? false;
  }
}

/** 400: the request breaks a rule of the platform. */
export class BadRequestError extends ApiError {
  static override readonly kind = "BadRequestError";
}
/** 401: no key, or a key that the control plane doesn't know. */
export class AuthenticationError extends ApiError {
  static override readonly kind = "AuthenticationError";
}
/** 403: the key may not do this, or not in this workspace. */
export class PermissionError extends ApiError {
  static override readonly kind = "PermissionError";
}
/** 404. Says nothing about whether a resource is gone: ask `isGone`. */
export class NotFoundError extends ApiError {
  static override readonly kind = "NotFoundError";
}
/** 409: a name in use. */
export class ConflictError extends ApiError {
  static override readonly kind = "ConflictError";
}
/** 422: fields of the request don't validate; `locations` are their dotted paths. */
export class ValidationError extends ApiError {
  static override readonly kind = "ValidationError";
  readonly locations: readonly string[];
  constructor(options: ApiErrorOptions & { locations: readonly string[] }) {
    super(options);
    this.locations = options.locations;
  }
}
/** 429, after the retries. */
export class RateLimitError extends ApiError {
  static override readonly kind = "RateLimitError";
}
/** 5xx, after the retries. */
export class ServerError extends ApiError {
  static override readonly kind = "ServerError";
}

/**
 * The connection failed. `sent` is false when the request surely never reached the server (refused, name not found), so that a retry can't do
 * anything twice.
 */
export class ConnectionError extends GraphDeployError {
  static override readonly kind: string = "ConnectionError";
  readonly sent: boolean;
  constructor(message: string, options: { sent: boolean; hint?: string | undefined; cause?: unknown }) {
    super(message, options);
    this.sent = options.sent;
  }
}

/** No response within the time of one attempt or of the whole call. The request may have taken effect. */
export class TimeoutError extends ConnectionError {
  static override readonly kind = "TimeoutError";
  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, { ...options, sent: true });
  }
}

/** A response that isn't what the contract says: a redirect, or a success whose body is HTML, cut off, or has a field of the wrong shape (named by `path`). */
export class ResponseError extends GraphDeployError {
  static override readonly kind = "ResponseError";
  readonly path: string | undefined;
  /** The body was damaged on its way (cut off, not JSON), so the same request may succeed when retried. */
  readonly damaged: boolean;
  /** An intermediary, such as a proxy or a gateway, responded in place of the control plane: a web page, a redirect. */
  readonly fromIntermediary: boolean;
  constructor(
    message: string,
    options: {
      hint?: string | undefined;
      path?: string;
      damaged?: boolean;
      fromIntermediary?: boolean;
      cause?: unknown;
    } = {},
  ) {
    super(message, options);
    this.path = options.path;
    this.damaged = options.damaged ?? false;
    this.fromIntermediary = options.fromIntermediary ?? false;
  }
}

export interface RolloutErrorOptions {
  deploymentId: string;
  revisionId: string;
  /** Last status seen. */
  status: string;
  /** Last lines of the log, oldest first; empty when there is none. */
  logTail?: readonly LogEntry[];
  /** The deployment's web page, where there is one. */
  webUrl?: string | undefined;
  hint?: string | undefined;
}

function withLogTail(message: string, logTail: readonly LogEntry[]): string {
  if (logTail.length === 0) return message;
  return `${message}\n${logTail.map((entry) => `    ${entry.message}`).join("\n")}\n`;
}

/** A revision that isn't live. Its subclasses tell why; this class itself means that it failed. */
export class RolloutError extends GraphDeployError {
  static override readonly kind: string = "RolloutError";
  readonly deploymentId: string;
  readonly revisionId: string;
  readonly status: string;
  readonly logTail: readonly LogEntry[];
  readonly webUrl: string | undefined;

  constructor(message: string, options: RolloutErrorOptions) {
    super(withLogTail(message, options.logTail ?? []), options);
    this.deploymentId = options.deploymentId;
    this.revisionId = options.revisionId;
    this.status = options.status;
    this.logTail = options.logTail ?? [];
    this.webUrl = options.webUrl;
  }
}

/** The wait ended before the rollout did. The rollout continues and may still succeed. */
export class RolloutTimeout extends RolloutError {
  static override readonly kind = "RolloutTimeout";
}

/** A newer revision took this one's place before it was live. */
export class Superseded extends RolloutError {
  static override readonly kind = "Superseded";
  readonly supersededBy: string | undefined;
  constructor(message: string, options: RolloutErrorOptions & { supersededBy?: string | undefined }) {
    super(message, options);
    this.supersededBy = options.supersededBy;
  }
}

/** The revision was interrupted on the platform and stayed so. */
export class Interrupted extends RolloutError {
  static override readonly kind = "Interrupted";
}

/** The caller's AbortSignal ended the wait. What was begun on the platform continues. */
export class Aborted extends GraphDeployError {
  static override readonly kind = "Aborted";
}

/** Whether `error` proves that the resource `id` doesn't exist: the control plane's own 404, naming the id. Any other 404 proves nothing. */
export function isGone(error: unknown, id: string): boolean {
  return error instanceof NotFoundError && error.fromControlPlane && error.detail.includes(id);
}
