import { HttpError } from "../http-error.ts";
import { ChunkReader } from "./chunk-reader.ts";
import type { HeaderFields } from "./header-fields.ts";

/** The client has hung up, so there is nobody to answer. */
export class ClientGone extends Error {
  constructor() {
    super("The client has hung up before its request was complete.");
  }
}

/** How much of a body is kept that nobody has asked for yet, in bytes; then the client has to wait. */
const mostUnasked = 64 * 1024;

/** Pieces shorter than this are copied together, so many bytes at a time: by itself, each costs far more than what is in it. */
const shortPiece = 4 * 1024;
const gatheredLength = 16 * 1024;

/** What a body asks of its connection. */
export interface BodyFlow {
  /** No more bytes for now. */
  pause(): void;
  resume(): void;
  /** Somebody wants the body, which the client may be waiting for. */
  wanted(): void;
}

interface Reader {
  limitBytes: number;
  refuse: () => void;
  resolve(bytes: Buffer): void;
  reject(error: Error): void;
}

const empty = Buffer.alloc(0);

/** The body of one request, as its bytes come. */
export class RequestBody {
  isComplete: boolean;
  #chunks: Buffer[] = [];
  /** What short pieces are copied to, and how much of it is in use. */
  #gathered: Buffer | undefined;
  #gatheredSize = 0;
  #size = 0;
  /** What is missing, where the length is known. */
  #left: number;
  readonly #declared: number;
  readonly #chunkReader: ChunkReader | undefined;
  readonly #flow: BodyFlow;
  #reader: Reader | undefined;
  /** Why no more of it will come. */
  #loss: Error | undefined;
  #isPassedOver = false;

  constructor({ isChunked, contentLength }: HeaderFields, flow: BodyFlow) {
    this.#chunkReader = isChunked ? new ChunkReader() : undefined;
    this.#left = contentLength;
    this.#declared = contentLength;
    this.#flow = flow;
    this.isComplete = !isChunked && contentLength === 0;
  }

  /** Takes what belongs to the body from `start` on, and returns where that ends. @throws {MalformedRequest} 400 */
  take(bytes: Buffer, start: number): number {
    let end: number;
    if (this.#chunkReader) {
      end = this.#chunkReader.take(bytes, start, (piece) => this.#add(piece));
      this.isComplete = this.#chunkReader.isComplete;
    } else {
      end = Math.min(bytes.length, start + this.#left);
      this.#left -= end - start;
      this.#add(bytes.subarray(start, end));
      this.isComplete = this.#left === 0;
    }
    if (this.isComplete) this.#settle();
    else if (!this.#reader && !this.#isPassedOver && this.#size > mostUnasked) this.#flow.pause();
    return end;
  }

  /**
   * All of it: at once where it has come already, as the bodies of most requests have, so that nothing has to be waited for.
   * @throws {HttpError} 413, with `tooLarge` as its text, when it is over the limit; what it was lost by when it never comes to its end.
   */
  read(limitBytes: number, tooLarge?: string): Buffer | Promise<Buffer> {
    if (this.isComplete && this.#size <= limitBytes) return this.#bytes();
    return new Promise((resolve, reject) => {
      const refuse = () => {
        this.passOver();
        const detail = tooLarge ?? `The request body is larger than ${limitBytes} bytes.`;
        reject(new HttpError(413, detail, { connection: "close" }));
      };
      if (this.#declared > limitBytes || this.#size > limitBytes) return refuse();
      if (this.#loss) return reject(this.#loss);
      this.#reader = { limitBytes, refuse, resolve, reject };
      this.#flow.wanted();
      this.#flow.resume();
    });
  }

  /** Lets what is still to come go by, and what has come go. */
  passOver(): void {
    this.#isPassedOver = true;
    this.#reader = undefined;
    this.#chunks = [];
    this.#gathered = undefined;
    if (!this.isComplete) this.#flow.resume();
  }

  /** No more of it will come, for this reason. */
  lose(loss: Error): void {
    if (this.isComplete) return;
    this.#loss ??= loss;
    this.#reader?.reject(this.#loss);
    this.#reader = undefined;
  }

  #add(piece: Buffer): void {
    this.#size += piece.length;
    if (this.#isPassedOver || piece.length === 0) return;
    if (this.#chunks.length > 0 && piece.length < shortPiece) this.#gather(piece);
    else {
      this.#closeGathered();
      this.#chunks.push(piece);
    }
    if (this.#reader && this.#size > this.#reader.limitBytes) this.#reader.refuse();
  }

  #gather(piece: Buffer): void {
    if (this.#gatheredSize + piece.length > gatheredLength) this.#closeGathered();
    this.#gathered ??= Buffer.allocUnsafeSlow(gatheredLength);
    this.#gatheredSize += piece.copy(this.#gathered, this.#gatheredSize);
  }

  #closeGathered(): void {
    if (this.#gathered) this.#chunks.push(this.#gathered.subarray(0, this.#gatheredSize));
    this.#gathered = undefined;
    this.#gatheredSize = 0;
  }

  #settle(): void {
    this.#reader?.resolve(this.#bytes());
    this.#reader = undefined;
  }

  #bytes(): Buffer {
    this.#closeGathered();
    if (this.#chunks.length > 1) this.#chunks = [Buffer.concat(this.#chunks)];
    return this.#chunks[0] ?? empty;
  }
}
