import { Aborted } from "../core/client/errors.ts";
import { requireOfDynamicProvider } from "./dynamic-process.ts";

/** The messages about what a cancelled operation leaves behind. They hold whether or not it had started anything. */
const messages = {
  create: "Cancelled. A rollout in progress continues; the next `pulumi up` follows it instead of starting another.",
  update: "Cancelled. A rollout in progress continues; the next `pulumi up` follows it instead of starting another.",
  read: "Cancelled. Reading changes nothing.",
  delete: "Cancelled. A deletion in progress continues; the next run waits for its end.",
};

/** The operations of a resource that make requests. */
export type CancellableOperation = keyof typeof messages;

const running = new Map<AbortController, CancellableOperation>();
let isListening = false;

/**
 * Runs an operation with a signal that aborts when the engine cancels (Ctrl-C), so that a long wait ends at once and
 * the state keeps the deployment's id.
 */
export async function cancellable<Result>(
  operation: CancellableOperation,
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  listenForCancel();
  const controller = new AbortController();
  running.set(controller, operation);
  try {
    return await run(controller.signal);
  } finally {
    running.delete(controller);
  }
}

/** Aborts every running operation. What the platform has started continues. */
export function cancelAll(): void {
  for (const [controller, operation] of running) controller.abort(new Aborted(messages[operation]));
}

/**
 * The dynamic provider's own Cancel handler does nothing and can't be replaced, and the process isn't in the terminal's
 * process group. But the SDK decodes every Cancel request with `Empty.deserializeBinary` of its protobuf library, which
 * it otherwise calls only when the plugin is loaded, before any operation. So a call during an operation is a Cancel.
 * Where the SDK works differently, this does nothing.
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
    // A cancelled wait then ends only with the process, as with any dynamic provider.
  }
}
