import { randomUUID } from "node:crypto";

/** The bodies of responses that the other side reads piece by piece. */
export class ResponseBodies {
  /** Under ids that no other worker knows: a body belongs to the worker that it was begun in, or for. */
  readonly #readers = new Map<string, ReadableStreamDefaultReader<Uint8Array>>();

  /** Keeps a body until it is read to its end or cancelled. Returns what names it. */
  keep(body: ReadableStream<Uint8Array>): string {
    const id = randomUUID();
    this.#readers.set(id, body.getReader());
    return id;
  }

  /** The next piece; `null` at the end. @throws {TypeError} for a body that isn't there, as when another worker had begun it. */
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

  /** Cancels all that are still being read. */
  async cancelAll(): Promise<void> {
    await Promise.allSettled([...this.#readers.keys()].map((id) => this.cancel(id)));
  }
}

/** A body that is read from the other side. */
export function readFromOtherSide(source: {
  read(): Promise<Uint8Array | null>;
  cancel(): Promise<void>;
}): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const piece = await source.read();
      if (piece === null) controller.close();
      else controller.enqueue(piece);
    },
    cancel: () => source.cancel(),
  });
}
