import { createRequire } from "node:module";
import { formatDuration } from "../core/duration.ts";
import type { ProgressEvent } from "../core/events.ts";
import type { Logger } from "../core/logger.ts";

/** Where a resource says what happens to it. */
export interface StatusLine {
  onProgress(event: ProgressEvent): void;
  logger: Logger;
}

/** The engine's log, as far as it is used here. Source: `log` and `runtime` of @pulumi/pulumi. */
interface EngineLog {
  debug: LogFunction;
  info: LogFunction;
  warn: LogFunction;
}
type LogFunction = (message: string, resource?: unknown, streamId?: number, ephemeral?: boolean) => Promise<void>;

let engineLog: EngineLog | undefined;

/**
 * The engine's log, from the copy of the SDK that runs this process. A dynamic provider isn't connected to it by itself: the engine's address is
 * the last argument of the process. `undefined` where the process is something else, for example a unit test.
 */
function connectToEngine(): EngineLog | undefined {
  if (engineLog !== undefined) return engineLog;
  const main = process.argv[1];
  const address = process.argv.at(-1);
  if (main === undefined || address === undefined || !/dynamic-provider/.test(main)) return undefined;
  try {
    const load = createRequire(main);
    const runtime = load("@pulumi/pulumi/runtime");
    runtime.resetOptions(runtime.getProject() ?? "", "", -1, address, "", false, "");
    engineLog = load("@pulumi/pulumi/log") as EngineLog;
  } catch {
    // Without its status line a deployment still deploys.
    return undefined;
  }
  return engineLog;
}

/** The status line of the resource with this URN. */
export function statusLineOf(urn: string | undefined): StatusLine {
  const log = urn === undefined ? undefined : connectToEngine();
  // The log asks only for the URN of a resource.
  const resource = { urn: { promise: () => Promise.resolve(urn) } };
  const say = (level: keyof EngineLog, message: string, ephemeral: boolean) => {
    void log?.[level](message, resource, undefined, ephemeral).catch(() => {});
  };
  return {
    onProgress(event) {
      const line = describe(event);
      if (line !== undefined) say(event.type === "warning" ? "warn" : "info", line.text, line.ephemeral);
    },
    logger: {
      debug: (message) => say("debug", message, false),
      info: (message) => say("info", message, true),
      warn: (message) => say("info", message, true),
      error: (message) => say("warn", message, false),
    },
  };
}

/** Ephemeral lines are shown while they are true and leave no trace; the others stay in the log of the run. */
function describe(event: ProgressEvent): { text: string; ephemeral: boolean } | undefined {
  switch (event.type) {
    case "deployment":
      return { text: `${event.created ? "created" : "found"} deployment ${event.deploymentId}`, ephemeral: false };
    case "revision": {
      const page = event.webUrl === undefined ? "" : `, ${event.webUrl}`;
      return { text: `following revision ${event.revisionId}${page}`, ephemeral: false };
    }
    case "status":
      return { text: `${event.status} (${formatDuration(event.elapsedMs)})`, ephemeral: event.status !== "DEPLOYED" };
    case "heartbeat":
      return { text: `${event.status} for a while (${formatDuration(event.elapsedMs)} in all)`, ephemeral: true };
    case "switching":
      return { text: "DEPLOYED, waiting for traffic to be switched", ephemeral: true };
    case "deleting":
      return { text: `${event.status ?? "deleting"} (${formatDuration(event.elapsedMs)})`, ephemeral: true };
    case "note":
    case "warning":
      return { text: event.message, ephemeral: false };
    case "log":
      return undefined;
  }
}
