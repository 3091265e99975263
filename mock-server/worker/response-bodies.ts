import { randomUUID } from "node:crypto";

/** Response bodies that the other side reads in chunks. */
export class ResponseBodies {
  /** By random ids, so that one worker can't read the bodies of another. */
  readonly #readers = new Map<string, ReadableStreamDefaultReader<Uint8Array>>();

  /** Registers a body until it is read to its end or cancelled. Returns its id. */
  keep(body: ReadableStream<Uint8Array>): string {
    const id = randomUUID();
    this.#readers.set(id, body.getReader());
    return id;
  }

  /**
   * The next chunk; `null` at the end.
   * @throws {TypeError} for an unknown body, for example that of an earlier worker.
   */
  async read(id: string): Promise<Uint8Array | null> {
    const reader = this.#readers.get(id);
    if (!reader) throw new TypeError("The body belongs to a worker that has ended.");
    const { done, value } = await reader.read();
    if (!done) return value;
    this.#readers.delete(id);
    return null;
  }

  async cancel(id: string): Promise<void> {
    const reader = this.#readers.get(id);
    this.#readers.delete(id);
    await reader?.cancel();
  }

  /** Cancels all bodies that are still being read. */
  async cancelAll(): Promise<void> {
    await Promise.allSettled([...this.#readers.keys()].map((id) => this.cancel(id)));
  }
}

/** A stream of a body on the other side, of which nothing is read until somebody reads the stream. */
export function readFromOtherSide(source: {
  read(): Promise<Uint8Array | null>;
  cancel(): Promise<void>;
}): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      async pull(controller) {
        const piece = await source.read();
        if (piece === null) controller.close();
        else controller.enqueue(piece);
      },
      cancel: () => source.cancel(),
    },
    { highWaterMark: 0 },
  );
}
