import { Aborted } from "../core/errors.ts";
import { requireOfDynamicProvider } from "./dynamic-process.ts";

const running = new Set<AbortController>();
let isListening = false;

/**
 * Runs `operation` with a signal that aborts when the engine cancels (Ctrl-C), so that a long wait ends at once and the deployment's id is kept.
 */
export async function cancellable<Result>(operation: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  listenForCancel();
  const controller = new AbortController();
  running.add(controller);
  try {
    return await operation(controller.signal);
  } finally {
    running.delete(controller);
  }
}

/** Ends every running operation. What was begun on the platform goes on. */
export function cancelAll(): void {
  for (const controller of running) {
    controller.abort(
      new Aborted(
        "Cancelled while waiting; the rollout goes on. The next `pulumi up` follows it instead of starting another.",
      ),
    );
  }
}

/**
 * The dynamic provider's own Cancel handler does nothing and can't be replaced, and the process isn't in the terminal's process group. But every
 * Cancel request is decoded by `Empty.deserializeBinary` of the SDK's protobuf library, which is otherwise only used when the plugin is loaded,
 * before any operation runs: so a call while one runs is a Cancel. Where the SDK is built differently, nothing is changed.
 */
function listenForCancel(): void {
  if (isListening) return;
  isListening = true;
  const load = requireOfDynamicProvider();
  if (load === undefined) return;
  try {
    const { Empty } = load("google-protobuf/google/protobuf/empty_pb");
    const decode: unknown = Empty.deserializeBinary;
    if (typeof decode !== "function") return;
    Empty.deserializeBinary = function (this: unknown, ...args: unknown[]) {
      cancelAll();
      return decode.apply(this, args);
    };
  } catch {
    // Without it a cancelled wait ends with the process, as with any dynamic provider.
  }
}
