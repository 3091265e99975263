import type { Logger } from "../core/redact.ts";
import type { ProgressEvent } from "../core/rollout/waiting.ts";
import { formatDuration } from "../core/time.ts";
import { requireOfDynamicProvider } from "./dynamic-process.ts";

/** Shows what happens to a resource. */
export interface StatusLine {
  onProgress(event: ProgressEvent): void;
  logger: Logger;
  /** Resolves when the engine has received every line: it ends this process without waiting for them. */
  delivered(): Promise<unknown>;
}

/** The context of one operation on a resource. */
export interface Operation {
  line: StatusLine;
  /** Aborts when the engine cancels the run. */
  signal: AbortSignal;
}

const severities = { debug: 0, info: 1, warn: 2 } as const;
type Severity = keyof typeof severities;
type Say = (severity: Severity, message: string, urn: string, ephemeral: boolean) => Promise<void>;

let engineLog: Say | undefined;

/**
 * Connects to the engine's log service, with the messages of the SDK that runs this process. A dynamic provider has no
 * connection to it; the engine's address is the last argument of the process. `undefined` in other processes, for
 * example a unit test.
 *
 * It doesn't use the SDK's log functions: they decode responses with the decoder that `cancellation.ts` listens to.
 */
function connectToEngine(): Say | undefined {
  const load = requireOfDynamicProvider();
  const address = process.argv.at(-1);
  if (engineLog !== undefined || load === undefined || address === undefined) return engineLog;
  try {
    const grpc = load("@grpc/grpc-js");
    const { LogRequest } = load("../../proto/engine_pb");
    const client = new grpc.Client(address, grpc.credentials.createInsecure());
    const serialize = (request: { serializeBinary(): Uint8Array }) => Buffer.from(request.serializeBinary());
    engineLog = (severity, message, urn, ephemeral) => {
      const request = new LogRequest();
      request.setSeverity(severities[severity]);
      request.setMessage(message);
      request.setUrn(urn);
      request.setEphemeral(ephemeral);
      // A line that can't be delivered is dropped.
      return new Promise((resolve) => {
        client.makeUnaryRequest(
          "/pulumirpc.Engine/Log",
          serialize,
          () => undefined,
          request,
          () => resolve(),
        );
      });
    };
  } catch {
    // Deployments work without a status line.
  }
  return engineLog;
}

/** The status line of the resource with this URN. */
export function statusLineOf(urn: string | undefined): StatusLine {
  const log = urn === undefined ? undefined : connectToEngine();
  let lastLine: Promise<unknown> = Promise.resolve();
  const say = (severity: Severity, message: string, ephemeral: boolean): void => {
    // One at a time, to keep their order.
    lastLine = lastLine.then(() => log?.(severity, message, urn ?? "", ephemeral));
  };
  return {
    onProgress(event) {
      const line = describe(event);
      say(event.type === "warning" ? "warn" : "info", line.text, line.ephemeral);
    },
    logger: {
      debug: (message) => say("debug", message, false),
      info: (message) => say("info", message, true),
      warn: (message) => say("info", message, true),
      error: (message) => say("warn", message, false),
    },
    delivered: () => lastLine,
  };
}

function heartbeatText({ status, elapsedMs, unreadMs }: ProgressEvent & { type: "heartbeat" }): string {
  if (unreadMs === undefined) return `last seen ${status} (${formatDuration(elapsedMs)} in all)`;
  return `last seen ${status} ${formatDuration(unreadMs)} ago; the control plane can't be read`;
}

/** The text for an event. Ephemeral lines are shown only until the next one; the others stay in the log of the run. */
function describe(event: ProgressEvent): { text: string; ephemeral: boolean } {
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
      return { text: heartbeatText(event), ephemeral: true };
    case "waiting":
      return { text: `${event.message} (${formatDuration(event.elapsedMs)})`, ephemeral: true };
    case "switching":
      return { text: "DEPLOYED, waiting for traffic to be switched", ephemeral: true };
    case "deleting":
      return { text: `${event.status ?? "deleting"} (${formatDuration(event.elapsedMs)})`, ephemeral: true };
    case "note":
    case "warning":
      return { text: event.message, ephemeral: false };
  }
}
