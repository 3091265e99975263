import { LegacyJsonRpcTransportHandler } from "@a2a-js/sdk/compat/v0_3/server";
import { RequestMalformedError, VersionNotSupportedError } from "@a2a-js/sdk/errors";
import { JsonRpcTransportHandler, ServerCallContext } from "@a2a-js/sdk/server";
import { z } from "zod";
import type { HttpResponse } from "../../kit/http/http-response.ts";
import { parseJson, TooDeepError } from "../../kit/http/json.ts";
import { issuesOf } from "../../kit/operation/validation-issues.ts";
import type { Fields } from "../engine/contract.ts";
import type { A2aVersion } from "../persistence/push-config-table.ts";
import type { AssistantRecord } from "../persistence/records.ts";
import type { ProtocolHost } from "../protocol-host.ts";
import { eventStream, ok } from "../responses.ts";
import { AssistantTasks } from "./assistant-tasks.ts";
import { streamOf } from "./event-stream.ts";
import { normalizedParams } from "./normalized-params.ts";
import { isStreaming, methods } from "./request-params.ts";

const codes = { parseError: -32700, invalidRequest: -32600, methodNotFound: -32601 };

const requestId = z.union([z.string(), z.int(), z.null()]);
const envelope = z.looseObject({ jsonrpc: z.literal("2.0"), id: requestId, method: z.string().min(1) });

type Envelope = z.output<typeof envelope> & { params?: unknown };

/**
 * Responds to a JSON-RPC request of A2A for one assistant, in the version that the request names: 0.3 or 1.0. Streams
 * are server-sent events, errors before their first event included.
 * @throws {HttpError} 401 or 403 where auth handlers refuse.
 */
export async function respondAsA2a(host: ProtocolHost, assistant: AssistantRecord): Promise<HttpResponse> {
  const { context, agent } = host;
  let input: unknown;
  try {
    input = parseJson(await context.readText());
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const message = error instanceof TooDeepError ? error.message : "The body isn't JSON.";
    return refusal(null, codes.parseError, message);
  }
  const parsed = envelope.safeParse(input);
  if (!parsed.success) {
    const id = requestId.safeParse((input as Fields | null)?.id).data ?? null;
    return refusal(
      id,
      codes.invalidRequest,
      `The body isn't a request of JSON-RPC 2.0: ${problems(parsed.error, input)}`,
    );
  }
  const request: Envelope = parsed.data;
  const type = isStreaming(request.method) ? "text/event-stream" : "application/json";
  if (!accepts(context.header("accept"), type)) {
    return refusal(request.id, codes.invalidRequest, `The header Accept must include ${type} for ${request.method}.`);
  }
  const { version, first, rest } = await begin(host, assistant, request);
  // Clients of 1.0 expect a request that fails before the first event to have no stream; those of 0.3 need one.
  if (!isStreaming(request.method) || ("error" in first && version !== "0.3")) return ok(first);
  return eventStream(streamOf(first, rest, agent.heartbeatMs), {});
}

/** A response: its only envelope, or the first one of a stream and those that follow. */
interface Begun {
  version: A2aVersion | undefined;
  first: object;
  rest: AsyncGenerator<object>;
}

async function begin(host: ProtocolHost, assistant: AssistantRecord, request: Envelope): Promise<Begun> {
  const { method } = request;
  const named = host.context.header("a2a-version")?.trim();
  const version = versionOf(named, method);
  const tasks = new AssistantTasks(host, assistant, version ?? "0.3");
  const { mapError, handler } = handlerOf(tasks, version ?? "0.3");
  const failed = (error: unknown) => ({ jsonrpc: "2.0", id: request.id, error: mapError(error) });
  async function* events(): AsyncGenerator<object> {
    if (version === undefined) {
      yield failed(new VersionNotSupportedError(`Version ${named} isn't supported. Supported versions: 0.3, 1.0`));
      return;
    }
    const schema = Object.hasOwn(methods[version], method) ? methods[version][method] : undefined;
    if (!schema) {
      const message = `Version ${version} of A2A has no method ${method}.`;
      yield { jsonrpc: "2.0", id: request.id, error: { code: codes.methodNotFound, message } };
      return;
    }
    const params = normalizedParams(version, request.params);
    const parsed = schema.safeParse(params);
    if (!parsed.success) {
      yield failed(new RequestMalformedError(problems(parsed.error, params, "params")));
      return;
    }
    try {
      const context = new ServerCallContext({ requestedVersion: version });
      const result = await handler.handle({ ...request, params: parsed.data }, context);
      if (Symbol.asyncIterator in result) for await (const event of result) yield marked(event);
      else yield result;
    } catch (error) {
      yield failed(error);
    }
  }
  const rest = events();
  const { value: first } = await rest.next();
  // The refusals of auth handlers are those of HTTP, as for other operations.
  if (tasks.refusal) throw tasks.refusal;
  return { version, first, rest };
}

function handlerOf(tasks: AssistantTasks, version: A2aVersion) {
  return version === "0.3"
    ? {
        handler: new LegacyJsonRpcTransportHandler(tasks),
        mapError: LegacyJsonRpcTransportHandler.mapToLegacyJSONRPCError,
      }
    : { handler: new JsonRpcTransportHandler(tasks), mapError: JsonRpcTransportHandler.mapToJSONRPCError };
}

/** The version of a request. Without the header it is 0.3, unless only 1.0 has the method. */
function versionOf(named: string | undefined, method: string): A2aVersion | undefined {
  if (!named) return Object.hasOwn(methods["1.0"], method) ? "1.0" : "0.3";
  return (["0.3", "1.0"] as const).find((version) => named === version || named.startsWith(`${version}.`));
}

/** Marks the question of an interrupted task as the last event of a stream, as version 0.3 wants. */
function marked(event: object): object {
  const { result } = event as { result?: { kind?: string; status?: { state: string }; final?: boolean } };
  if (result?.kind === "status-update" && result.status?.state === "input-required") result.final = true;
  return event;
}

function accepts(accept: string | undefined, type: string): boolean {
  const wanted = new Set([type, type.replace(/\/.*/, "/*"), "*/*"]);
  return (accept ?? "").split(",").some((range) => wanted.has(range.replace(/;.*/s, "").trim().toLowerCase()));
}

function problems(error: z.ZodError, input: unknown, name?: string): string {
  const issues = issuesOf(error, input, name === undefined ? [] : [name]);
  return issues.map(({ loc, msg }) => (loc.length > 0 ? `${loc.join(".")}: ${msg}` : msg)).join("; ");
}

function refusal(id: string | number | null, code: number, message: string): HttpResponse {
  return { status: 400, body: { jsonrpc: "2.0", id, error: { code, message } } };
}
