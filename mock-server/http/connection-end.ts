import type { Socket } from "node:net";

/**
 * How much of what nobody wants is read before a connection is closed, and for how long: a client that is still sending would miss its answer if
 * the connection were closed at once. 64 MiB, 500 ms.
 */
const mostDrained = 64 * 1024 * 1024;
const longestDrain = 500;

/** The end of a connection: what its client still sends goes by, and what it was answered is taken, before it is closed. */
export class ConnectionEnd {
  readonly #socket: Socket;
  /** Bytes that went by; `undefined`: the connection is in use. */
  #drained: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isLeaving = false;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Whether nothing is read as a request any more. */
  get hasBegun(): boolean {
    return this.#drained !== undefined;
  }

  /** Has nothing read as a request from now on. */
  begin(): void {
    this.#drained ??= 0;
  }

  /** Bytes have gone by. `isLast`: the client has sent all that it was sending. */
  pass(count: number, isLast: boolean): void {
    this.#drained = (this.#drained ?? 0) + count;
    if (isLast || this.#drained > mostDrained) this.leave();
  }

  /** Says that nothing more is answered, and gives a client that is sending some time. */
  leaveSoon(): void {
    this.#socket.end();
    this.#timer ??= setTimeout(() => this.leave(), longestDrain);
  }

  /** Closes the connection once its client has taken what it was answered. */
  leave(): void {
    if (!this.#isLeaving) this.#socket.destroySoon();
    this.#isLeaving = true;
  }

  /** The client has closed it. */
  cancel(): void {
    clearTimeout(this.#timer);
  }
}
