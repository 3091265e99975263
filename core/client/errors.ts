import type { LogEntry } from "./wire/revisions.ts";

/**
 * The core ships in two bundles (ESM and CommonJS), so an error may come from another copy of these classes.
 * `instanceof` therefore compares the kinds that every instance carries under this registered symbol, not the
 * prototype.
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

/** Base class of the errors that this package throws. Messages never contain secrets. */
export class GraphDeployError extends Error {
  static readonly kind: string = "GraphDeployError";
  /** What to do about it, in one sentence; also the end of the message. */
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
    // biome-ignore lint/complexity/noThisInStatic: each subclass compares its own kind.
    return Array.isArray(kinds) && kinds.includes(this.kind);
  }
}

/** The message of an error without its hint, which is about what to do once the operation has failed. */
export function withoutHint(error: Error): string {
  const hint = error instanceof GraphDeployError ? error.hint : undefined;
  return hint === undefined ? error.message : error.message.slice(0, -hint.length).trimEnd();
}

/**
 * A mistake in what the user declared: settings, inputs or a file. `path` is the field, `line` the 1-based line of the
 * file.
 */
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

/** Another deployment has the name. Nothing was created or changed. */
export class NameInUse extends ConfigError {
  static override readonly kind = "NameInUse";
  readonly deploymentId: string;
  /** The ownership marker of that deployment; `undefined` where it has none or the platform hides it. */
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
  /**
   * Whether the body was JSON with a `detail`: then the control plane responded, not an intermediary. @default false
   */
  fromControlPlane?: boolean;
}

/** A response with a status other than 2xx. */
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
/** 401: no API key, or one that the control plane doesn't know. */
export class AuthenticationError extends ApiError {
  static override readonly kind = "AuthenticationError";
}
/** 403: the key may not do this, or not in this workspace. */
export class PermissionError extends ApiError {
  static override readonly kind = "PermissionError";
}
/** 404. Doesn't prove that a resource is gone: see {@link isGone}. */
export class NotFoundError extends ApiError {
  static override readonly kind = "NotFoundError";
}
/** 409: a name in use. */
export class ConflictError extends ApiError {
  static override readonly kind = "ConflictError";
}
/** 422: fields of the request are invalid; `locations` holds their dotted paths. */
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
 * The connection failed. `sent` is false when the request certainly never reached the server (connection refused, host
 * not found), so that a retry can't repeat an effect.
 */
export class ConnectionError extends GraphDeployError {
  static override readonly kind: string = "ConnectionError";
  readonly sent: boolean;
  constructor(message: string, options: { sent: boolean; hint?: string | undefined; cause?: unknown }) {
    super(message, options);
    this.sent = options.sent;
  }
}

/** No response within the timeout of an attempt or the deadline of the call. The request may have taken effect. */
export class TimeoutError extends ConnectionError {
  static override readonly kind = "TimeoutError";
  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, { ...options, sent: true });
  }
}

/**
 * A response that breaks the contract: a redirect, or a success whose body is HTML, truncated, or has an invalid field
 * (named by `path`).
 */
export class ResponseError extends GraphDeployError {
  static override readonly kind = "ResponseError";
  readonly path: string | undefined;
  /** The body was damaged in transit (truncated, not JSON), so a retry may succeed. */
  readonly damaged: boolean;
  /**
   * An intermediary, such as a proxy or a gateway, responded instead of the control plane, with a web page or a
   * redirect.
   */
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
  /** The last lines of the log, oldest first. @default none */
  logTail?: readonly LogEntry[];
  /** The deployment's web page, where there is one. */
  webUrl?: string | undefined;
  hint?: string | undefined;
}

function withLogTail(message: string, logTail: readonly LogEntry[]): string {
  if (logTail.length === 0) return message;
  return `${message}\n${logTail.map((entry) => `    ${entry.message}`).join("\n")}\n`;
}

/** A revision didn't go live. This class itself means that it failed; subclasses stand for the other reasons. */
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

/** The wait reached its deadline. The rollout continues and may still succeed. */
export class RolloutTimeout extends RolloutError {
  static override readonly kind = "RolloutTimeout";
}

/** A newer revision replaced this one before it was live. */
export class Superseded extends RolloutError {
  static override readonly kind = "Superseded";
  readonly supersededBy: string | undefined;
  constructor(message: string, options: RolloutErrorOptions & { supersededBy?: string | undefined }) {
    super(message, options);
    this.supersededBy = options.supersededBy;
  }
}

/** The revision was interrupted on the platform and didn't continue. */
export class Interrupted extends RolloutError {
  static override readonly kind = "Interrupted";
}

/** The caller's AbortSignal ended the call. What the platform has started continues. */
export class Aborted extends GraphDeployError {
  static override readonly kind = "Aborted";
}

/** Whether `error` proves that the resource `id` doesn't exist: a 404 of the control plane itself that names the id. */
export function isGone(error: unknown, id: string): boolean {
  return error instanceof NotFoundError && error.fromControlPlane && error.detail.includes(id);
}
