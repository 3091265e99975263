import { type Failure, failureByClass } from "../kit/failure.ts";

/** A channel for messages: a worker, or its port to the parent. */
interface Port {
  postMessage(message: unknown): void;
  on(event: "message", listener: (message: unknown) => void): unknown;
}

export type Message =
  | { kind: "call"; id: number; method: string; params?: unknown }
  | { kind: "result"; id: number; result?: unknown }
  | { kind: "failure"; id: number; failure: Failure }
  | { kind: "cancel"; id: number }
  | { kind: "notice"; method: string; params?: unknown };

/** The methods of one side by name, with at most one parameter. */
type Methods<Side> = { [Name in keyof Side]: (params: never) => unknown };
export type MethodName<Side> = keyof Side & string;
export type Params<Side extends Methods<Side>, Name extends keyof Side> = Parameters<Side[Name]>[0];
export type Result<Side extends Methods<Side>, Name extends keyof Side> = ReturnType<Side[Name]>;

/** Implements the methods of one side. The signal is aborted when the caller no longer waits. */
export type Handlers<Side extends Methods<Side>> = {
  [Name in keyof Side]: (
    params: Params<Side, Name>,
    signal: AbortSignal,
  ) => Result<Side, Name> | Promise<Result<Side, Name>>;
};

type Check = (value: unknown) => boolean;

/** Validates the messages of the other side. */
export interface MessageChecks<Ours extends Methods<Ours>, Theirs extends Methods<Theirs>> {
  isMessage(value: unknown): value is Message;
  /** Parameters of calls and notices from the other side. */
  params: { [Name in keyof Ours]: Check };
  /** Results of the other side. */
  results: { [Name in keyof Theirs]: Check };
  /** Called after an invalid message or a failed notice, which no caller waits for. */
  onInvalid(): void;
}

/** Thrown when a method of the other side throws. */
export class CallFailure extends Error {
  /** The place in the other side's code that it came from. */
  readonly at: string | undefined;

  constructor({ name, message, at }: Failure) {
    super(message);
    this.name = name;
    this.at = at;
  }
}

interface Pending {
  method: string;
  resolve: (result: never) => void;
  reject: (error: unknown) => void;
}

/**
 * One side of the connection between server and worker. Either side calls methods of the other; messages arrive in
 * order.
 */
export class Calls<Ours extends Methods<Ours>, Theirs extends Methods<Theirs>> {
  readonly #port: Port;
  readonly #describe: (thrown: unknown) => Failure;
  readonly #pending = new Map<number, Pending>();
  readonly #running = new Map<number, AbortController>();
  #handlers: Partial<Handlers<Ours>> = {};
  #checks: MessageChecks<Ours, Theirs> | undefined;
  #lastId = 0;
  #closed: { reason: unknown } | undefined;

  /** @param describe describes what a handler throws, for the caller */
  constructor(port: Port, describe: (thrown: unknown) => Failure = failureByClass) {
    this.#port = port;
    this.#describe = describe;
    port.on("message", (message) => this.#receive(message));
  }

  /**
   * Sets the handlers for the other side's calls and notices, and the checks of its messages where it isn't trusted.
   */
  serve(handlers: Handlers<Ours>, checks?: MessageChecks<Ours, Theirs>): void {
    this.#handlers = handlers;
    this.#checks = checks;
  }

  /**
   * Calls a method of the other side. When the signal is aborted, the call rejects with its reason at once, and the
   * signal of the handler is aborted.
   * @throws {CallFailure} when the method throws.
   */
  call<Name extends MethodName<Theirs>>(
    method: Name,
    params: Params<Theirs, Name>,
    signal?: AbortSignal,
  ): Promise<Result<Theirs, Name>> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(this.#closed.reason);
      if (signal?.aborted) return reject(signal.reason);
      const id = ++this.#lastId;
      const onAbort = () => {
        this.#pending.delete(id);
        this.#send({ kind: "cancel", id });
        reject(signal?.reason);
      };
      const settled =
        <Value>(settle: (value: Value) => void) =>
        (value: Value) => {
          signal?.removeEventListener("abort", onAbort);
          settle(value);
        };
      this.#send({ kind: "call", id, method, params });
      this.#pending.set(id, { method, resolve: settled(resolve), reject: settled(reject) });
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  /** Sends a notice: calls a method without waiting for a result. */
  notify<Name extends MethodName<Theirs>>(method: Name, params: Params<Theirs, Name>): void {
    if (!this.#closed) this.#send({ kind: "notice", method, params });
  }

  /** Closes the connection: pending and later calls reject with `reason`, and later messages are dropped. */
  close(reason: unknown): void {
    if (this.#closed) return;
    this.#closed = { reason };
    for (const { reject } of this.#pending.values()) reject(reason);
    this.#pending.clear();
    for (const controller of this.#running.values()) controller.abort(reason);
  }

  #receive(message: unknown): void {
    if (this.#closed) return;
    const received = message as Message;
    if (this.#checks && !this.#checks.isMessage(message)) this.#checks.onInvalid();
    else if (received.kind === "call") void this.#respond(received.id, received.method, received.params);
    else if (received.kind === "notice") void this.#runUnanswered(received.method, received.params);
    else if (received.kind === "cancel") this.#running.get(received.id)?.abort();
    else this.#settle(received);
  }

  async #respond(id: number, method: string, params: unknown): Promise<void> {
    const controller = new AbortController();
    this.#running.set(id, controller);
    let response: Message;
    try {
      response = {
        kind: "result",
        id,
        result: await this.#handler(method, params)(params as never, controller.signal),
      };
    } catch (error) {
      response = { kind: "failure", id, failure: this.#describe(error) };
    }
    this.#running.delete(id);
    if (this.#closed) return;
    try {
      this.#send(response);
    } catch (error) {
      // A result that can't be sent fails the call, so that the caller doesn't wait forever.
      this.#send({ kind: "failure", id, failure: failureByClass(error) });
    }
  }

  async #runUnanswered(method: string, params: unknown): Promise<void> {
    try {
      await this.#handler(method, params)(params as never, neverAborted);
    } catch {
      this.#checks?.onInvalid();
    }
  }

  #settle(response: Message & { kind: "result" | "failure" }): void {
    const pending = this.#pending.get(response.id);
    if (!pending) return;
    this.#pending.delete(response.id);
    if (response.kind === "failure") pending.reject(new CallFailure(response.failure));
    else if (this.#checks && !this.#checks.results[pending.method as MethodName<Theirs>](response.result)) {
      const message = `The worker returned an invalid result from "${pending.method}".`;
      pending.reject(new CallFailure({ name: "TypeError", message }));
    } else pending.resolve(response.result as never);
  }

  /** @throws {TypeError} for an unknown method or invalid parameters. */
  #handler(method: string, params: unknown): Handlers<Ours>[MethodName<Ours>] {
    const name = method as MethodName<Ours>;
    const handler = Object.hasOwn(this.#handlers, name) ? this.#handlers[name] : undefined;
    if (!handler) throw new TypeError(`There is no method "${method}".`);
    if (this.#checks && !this.#checks.params[name](params)) {
      throw new TypeError(`The parameters of "${method}" are invalid.`);
    }
    return handler;
  }

  #send(message: Message): void {
    this.#port.postMessage(message);
  }
}

const neverAborted = new AbortController().signal;
