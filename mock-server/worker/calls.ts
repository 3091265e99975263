import { type Failure, failureByClass } from "../kit/failure.ts";

/** What messages go through: a worker, or the port to the parent of one. */
interface Port {
  postMessage(message: unknown): void;
  on(event: "message", listener: (message: Message) => void): unknown;
}

type Message =
  | { kind: "call"; id: number; method: string; params: unknown }
  | { kind: "result"; id: number; result: unknown }
  | { kind: "failure"; id: number; failure: Failure }
  | { kind: "cancel"; id: number }
  | { kind: "notice"; method: string; params: unknown };

/** What a call on the other side has thrown. */
export class CallFailure extends Error {
  constructor({ name, message }: Failure) {
    super(message);
    this.name = name;
  }
}

interface Pending {
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
}

/** Calls a method of the other side is answered by. The signal is aborted when the caller no longer waits. */
export type CallHandler = (params: never, signal: AbortSignal) => unknown;

/**
 * One side of a conversation between threads. Both sides call each other and tell each other things; messages arrive in the order in which they
 * were sent.
 */
export class Calls {
  readonly #port: Port;
  readonly #pending = new Map<number, Pending>();
  readonly #answering = new Map<number, AbortController>();
  readonly #handlers = new Map<string, CallHandler>();
  #lastId = 0;
  #lost: { reason: unknown } | undefined;

  constructor(port: Port) {
    this.#port = port;
    port.on("message", (message) => this.#take(message));
  }

  /** Answers calls of `method`, or hears notices of it. */
  on(method: string, handler: CallHandler): void {
    this.#handlers.set(method, handler);
  }

  /**
   * Calls a method of the other side. When the signal is aborted the other side is told, and the call rejects with the signal's reason at once.
   * @throws {CallFailure} what the other side throws.
   */
  call(method: string, params: unknown, signal?: AbortSignal): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#lost) return reject(this.#lost.reason);
      if (signal?.aborted) return reject(signal.reason);
      const id = ++this.#lastId;
      const onAbort = () => {
        this.#pending.delete(id);
        this.#port.postMessage({ kind: "cancel", id } satisfies Message);
        reject(signal?.reason);
      };
      const settled =
        <Value>(settle: (value: Value) => void) =>
        (value: Value) => {
          signal?.removeEventListener("abort", onAbort);
          settle(value);
        };
      this.#pending.set(id, { resolve: settled(resolve), reject: settled(reject) });
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#port.postMessage({ kind: "call", id, method, params } satisfies Message);
    });
  }

  /** Tells the other side something that it doesn't answer. */
  notify(method: string, params: unknown): void {
    if (!this.#lost) this.#port.postMessage({ kind: "notice", method, params } satisfies Message);
  }

  /** Ends the conversation: whatever waits, and whatever is called from now on, rejects with `reason`. */
  lose(reason: unknown): void {
    if (this.#lost) return;
    this.#lost = { reason };
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject } of pending) reject(reason);
    for (const controller of this.#answering.values()) controller.abort(reason);
  }

  #take(message: Message): void {
    if (message.kind === "call") void this.#answer(message.id, message.method, message.params);
    else if (message.kind === "notice") void this.#handler(message.method)(message.params as never, neverAborted);
    else if (message.kind === "cancel") this.#answering.get(message.id)?.abort();
    else {
      const pending = this.#pending.get(message.id);
      this.#pending.delete(message.id);
      if (message.kind === "result") pending?.resolve(message.result);
      else pending?.reject(new CallFailure(message.failure));
    }
  }

  async #answer(id: number, method: string, params: unknown): Promise<void> {
    const controller = new AbortController();
    this.#answering.set(id, controller);
    let answer: Message & { id: number };
    try {
      answer = { kind: "result", id, result: await this.#handler(method)(params as never, controller.signal) };
    } catch (error) {
      answer = { kind: "failure", id, failure: failureByClass(error) };
    }
    this.#answering.delete(id);
    if (!this.#lost) this.#send(answer);
  }

  /** An answer that can't be sent is a failure: whoever waits for it must be told. */
  #send(answer: Message & { id: number }): void {
    try {
      this.#port.postMessage(answer);
    } catch (error) {
      this.#port.postMessage({ kind: "failure", id: answer.id, failure: failureByClass(error) } satisfies Message);
    }
  }

  #handler(method: string): CallHandler {
    const handler = this.#handlers.get(method);
    if (!handler) throw new TypeError(`The thread has no method "${method}".`);
    return handler;
  }
}

const neverAborted = new AbortController().signal;
