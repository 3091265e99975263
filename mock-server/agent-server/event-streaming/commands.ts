import type { z } from "zod";
import { parseJson, TooDeepError } from "../../kit/http/json.ts";
import { issuesOf } from "../../kit/operation/validation-issues.ts";
import { type Fields, GraphError } from "../engine/contract.ts";
import type { ProtocolHost } from "../protocol-host.ts";
import { CommandError, codeOf, type ErrorCode } from "./command-error.ts";
import {
  agentGetTree,
  commandSchema,
  inputRespond,
  type ProtocolCommand,
  runStart,
  stateFork,
  stateGet,
  stateListCheckpoints,
} from "./command-schemas.ts";
import { fork, respond, startRunOn } from "./run-commands.ts";
import { getState, getTree, listCheckpoints } from "./state-commands.ts";

/** Executes a command, given its parameters as sent. */
export type CommandHandler = (host: ProtocolHost, threadId: string, params: unknown) => Promise<Fields>;

function handler<Schema extends z.ZodType>(
  schema: Schema,
  handle: (host: ProtocolHost, threadId: string, params: z.output<Schema>) => Promise<Fields>,
): CommandHandler {
  return async (host, threadId, params) => handle(host, threadId, validParams(schema, params));
}

function unsupported(reason: string): CommandHandler {
  return async () => {
    throw new CommandError("not_supported", reason);
  };
}

const needsSocket = unsupported(
  "Subscriptions belong to a WebSocket. Over HTTP, send POST /threads/{thread_id}/stream/events instead.",
);

const handlers: Record<string, CommandHandler> = {
  "run.start": handler(runStart, startRunOn),
  "input.respond": handler(inputRespond, respond),
  "input.inject": unsupported("Graphs take no input while they run. Start another run with run.start."),
  "state.get": handler(stateGet, getState),
  "state.listCheckpoints": handler(stateListCheckpoints, listCheckpoints),
  "state.fork": handler(stateFork, fork),
  "agent.getTree": handler(agentGetTree, getTree),
  "subscription.subscribe": needsSocket,
  "subscription.unsubscribe": needsSocket,
  "subscription.reconnect": unsupported("Subscriptions end with their connection. Subscribe again, with `since`."),
};

/**
 * Executes a command and returns the response. `own` are the handlers of a connection, which come before the general
 * ones. Reports defects, and never throws.
 */
export async function execute(
  host: ProtocolHost,
  threadId: string,
  { id, method, params }: ProtocolCommand,
  { events, own = {} }: { events: { lastNumber(threadId: string): number }; own?: Record<string, CommandHandler> },
): Promise<Fields> {
  // From before the command: the Python client subscribes to the events after this number, which those of its run are.
  const meta = { thread_id: threadId, applied_through_seq: events.lastNumber(threadId) };
  try {
    const handle = [own, handlers].find((known) => Object.hasOwn(known, method))?.[method];
    if (!handle) throw new CommandError("unknown_command", `Unknown command: ${shown(method)}`);
    const result = await handle(host, threadId, params ?? {});
    return { type: "success", id, result, meta };
  } catch (thrown) {
    return { ...failureOf(host, thrown, id), meta };
  }
}

/** The command in a text, or the response to one that isn't a command. */
export function commandIn(text: string): ProtocolCommand | (Fields & { type: "error" }) {
  let input: unknown;
  try {
    input = parseJson(text);
  } catch (error) {
    const message = error instanceof TooDeepError ? error.message : "The command is not valid JSON.";
    return refusal(null, "invalid_argument", message);
  }
  const result = commandSchema.safeParse(input);
  if (result.success) return result.data;
  const { id } = (input ?? {}) as { id?: unknown };
  const isId = typeof id === "number" && Number.isSafeInteger(id) && id >= 0;
  return refusal(isId ? id : null, "invalid_argument", problems(result.error, input, ["command"]));
}

/** The response to something that failed. */
export function refusal(id: number | null, error: ErrorCode, message: string): Fields & { type: "error" } {
  return { type: "error", id, error, message };
}

function failureOf({ agent }: ProtocolHost, thrown: unknown, id: number): Fields {
  const code = thrown instanceof GraphError ? "invalid_argument" : codeOf(thrown);
  if (code) return refusal(id, code, thrown instanceof Error ? thrown.message : "");
  agent.onDefect(thrown);
  return refusal(id, "unknown_error", "The server has a defect, which it has reported.");
}

/** The parameters of a command. @throws {CommandError} naming what is wrong with them. */
export function validParams<Schema extends z.ZodType>(schema: Schema, params: unknown): z.output<Schema> {
  const result = schema.safeParse(params);
  if (result.success) return result.data;
  throw new CommandError("invalid_argument", problems(result.error, params, ["params"]));
}

export function problems(error: z.ZodError, input: unknown, place: string[]): string {
  return issuesOf(error, input, place)
    .map(({ loc, msg }) => `${loc.join(".")}: ${msg}`)
    .join("; ");
}

const maxShown = 100;

function shown(method: string): string {
  return method.length > maxShown ? `${method.slice(0, maxShown)}…` : method;
}
