import type { Socket } from "node:net";

const lineEnd = Buffer.from("\r\n");
const lastChunk = "0\r\n\r\n";

/** The body of an answer that goes on for as long as there is something to send. */
export class AnswerStream {
  readonly #socket: Socket;
  readonly #isChunked: boolean;
  readonly #onEnd: () => void;
  #isCorked = false;

  /** `isChunked`: whether the client can tell by chunks where the body ends, or has to wait until the connection is closed. */
  constructor(socket: Socket, isChunked: boolean, onEnd: () => void) {
    this.#socket = socket;
    this.#isChunked = isChunked;
    this.#onEnd = onEnd;
  }

  /** Whether there is nobody any more whom it could be sent to. */
  get isGone(): boolean {
    return this.#socket.destroyed;
  }

  /** Sends a piece. Returns whether more can be sent at once: otherwise {@link drained} tells when. */
  write(piece: Uint8Array): boolean {
    if (piece.length === 0) return true;
    this.#cork();
    if (!this.#isChunked) return this.#socket.write(piece);
    this.#socket.write(`${piece.length.toString(16)}\r\n`, "latin1");
    this.#socket.write(piece);
    return this.#socket.write(lineEnd);
  }

  /** Resolves when what was written has left the memory, or the client is gone. */
  drained(): Promise<void> {
    const socket = this.#socket;
    return new Promise((resolve) => {
      if (socket.destroyed || !socket.writableNeedDrain) return resolve();
      const finish = () => {
        socket.off("drain", finish);
        socket.off("close", finish);
        resolve();
      };
      socket.on("drain", finish);
      socket.on("close", finish);
    });
  }

  /** The body is complete. */
  end(): void {
    if (this.#isChunked) this.#socket.write(lastChunk, "latin1");
    this.#onEnd();
  }

  /** Breaks off, by which the client knows that something is missing. */
  breakOff(): void {
    // Where only the end of the connection ends the body, an orderly one would say that it is complete.
    if (this.#isChunked) this.#socket.destroy();
    else this.#socket.resetAndDestroy();
  }

  /** Pieces that come together are sent together. */
  #cork(): void {
    if (this.#isCorked) return;
    this.#isCorked = true;
    this.#socket.cork();
    process.nextTick(() => {
      this.#isCorked = false;
      this.#socket.uncork();
    });
  }
}
