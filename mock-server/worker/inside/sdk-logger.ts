import { inspect } from "node:util";
import type { AgentLogLevel } from "../../kit/agent-log.ts";
import type { Calls } from "../calls.ts";
import type { ServerMethods, WorkerMethods } from "../protocol.ts";
import { currentCaller } from "./caller.ts";

/** The methods of the official client's logger, with their levels. */
const levels: Record<string, AgentLogLevel> = {
  error: "ERROR",
  warn: "WARNING",
  help: "INFO",
  data: "INFO",
  info: "INFO",
  debug: "DEBUG",
  prompt: "DEBUG",
  http: "DEBUG",
  verbose: "DEBUG",
  input: "DEBUG",
  silly: "DEBUG",
};

/** Maximum length of a text, in characters; longer texts are cut. */
const maxTextLength = 64 * 1024;

/** Provides the logger that `getLogger()` of the official client returns. Its lines name the run and the node. */
export function provideSdkLogger(
  calls: Calls<WorkerMethods, ServerMethods>,
  currentNode: () => string | undefined,
): void {
  const methods = Object.entries(levels).map(([name, level]) => {
    const log = (...parts: unknown[]) => {
      const text = [...parts.map(described), ...origin(currentNode())].join(" ");
      calls.notify("log", { level, text: text.slice(0, maxTextLength) });
      return logger;
    };
    return [name, log];
  });
  const logger = Object.fromEntries(methods);
  Object.assign(globalThis, { [Symbol.for("langgraph.api.sdk-logger")]: logger });
}

function described(part: unknown): string {
  return typeof part === "string" ? part : inspect(part, { breakLength: Number.POSITIVE_INFINITY, depth: 5 });
}

function origin(node: string | undefined): string[] {
  const caller = currentCaller.getStore();
  return [...(caller?.kind === "run" ? [`run=${caller.runId}`] : []), ...(node === undefined ? [] : [`node=${node}`])];
}
