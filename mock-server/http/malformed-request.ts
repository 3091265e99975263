/** A request that can't be told from others any more, so that its connection is of no further use. The message is a sentence for its sender. */
export class MalformedRequest extends Error {
  /** The status that the sender is answered. */
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
