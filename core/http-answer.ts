import type { Dispatcher } from "undici";
import type { z } from "zod";
import { ResponseError } from "./errors.ts";
import { htmlHint, type RequestPlace, toApiError } from "./http-errors.ts";
import type { Failure } from "./http-failure.ts";
import type { Redactor } from "./redact.ts";
import { parseRetryAfter } from "./retry-timing.ts";

/** The largest body that is read, in bytes: a page of 100 deployments is far below. */
const largestBody = 32 * 1024 * 1024;

export interface Answer<Body> {
  status: number;
  body: Body;
  /** The server's clock when it answered, from `Date`; milliseconds since the epoch. */
  serverTimeMs: number | undefined;
}

export interface AnswerContext<Body> {
  place: RequestPlace;
  /** What the body must be; `undefined` for an empty one. */
  schema: z.ZodType<Body> | undefined;
  /** Whether the request may be sent again when its fate is unknown. */
  idempotent: boolean;
  /** Of this process, in milliseconds since the epoch. */
  nowMs: number;
  redactor: Redactor;
}

/**
 * What a response says: the answer, or a failure that may pass.
 * @throws {@link ResponseError} for what no repetition mends: a redirect, a web page
 */
export function readAnswer<Body>(
  response: Dispatcher.ResponseData,
  text: string,
  context: AnswerContext<Body>,
): Answer<Body> | Failure {
  const { place, schema, idempotent, nowMs, redactor } = context;
  const { method, path, baseUrl } = place;
  const status = response.statusCode;
  if (status >= 300 && status < 400) {
    throw new ResponseError(`${method} ${path} answered ${status}, a redirect, which is not followed.`, {
      hint: `Check the base URL ${baseUrl}: the API key is never sent to another address.`,
      isStandIn: true,
    });
  }
  if (status < 200 || status >= 400) {
    const rejected = status === 429;
    const repeatable = status === 408 || (status >= 500 && status !== 501 && status !== 505);
    return {
      error: toApiError(place, status, text, headerOf(response, "x-request-id"), redactor),
      mayRepeat: rejected || (idempotent && repeatable),
      retryAfterMs: parseRetryAfter(headerOf(response, "retry-after"), nowMs),
      kind: rejected ? "busy" : "status",
    };
  }
  const date = Date.parse(headerOf(response, "date") ?? "");
  const serverTimeMs = Number.isNaN(date) ? undefined : date;
  const isWebPage = (headerOf(response, "content-type") ?? "").includes("html") || /^\s*</.test(text);
  if (isWebPage) {
    throw new ResponseError(`${method} ${path} answered a web page instead of JSON.`, {
      hint: htmlHint(baseUrl),
      isStandIn: true,
    });
  }
  if (schema === undefined) return { status, body: undefined as Body, serverTimeMs };
  const parsed = parseBody(text, schema, context);
  return parsed instanceof ResponseError
    ? { error: parsed, mayRepeat: idempotent && parsed.damaged, kind: "connection" }
    : { status, body: parsed.body, serverTimeMs };
}

function parseBody<Body>(
  text: string,
  schema: z.ZodType<Body>,
  { place: { method, path, baseUrl }, redactor }: AnswerContext<Body>,
): { body: Body } | ResponseError {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return new ResponseError(
      `${method} ${path} answered ${text === "" ? "an empty body" : "a body that is not JSON (cut off?)"} with a success status.`,
      { damaged: true },
    );
  }
  const result = schema.safeParse(json);
  if (result.success) return { body: result.data };
  const issue = result.error.issues[0];
  const field = issue === undefined || issue.path.length === 0 ? "the body" : issue.path.join(".");
  return new ResponseError(
    redactor.text(`${method} ${path} answered a body that breaks the contract at ${field}: ${issue?.message}.`),
    { path: field, hint: `Check that ${baseUrl} is a control plane of this platform.` },
  );
}

function headerOf({ headers }: Dispatcher.ResponseData, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/**
 * The text of a body.
 * @throws {@link ResponseError} when it is larger than anything a control plane answers
 */
export async function readText(body: Dispatcher.ResponseData["body"]): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > largestBody) {
      throw new ResponseError(
        `The answer is larger than ${largestBody / 1024 / 1024} MiB and was not read to its end.`,
      );
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
