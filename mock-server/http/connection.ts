import type { Socket } from "node:net";
import { HttpError } from "../http-error.ts";
import { answerHead } from "./answer-head.ts";
import { AnswerStream } from "./answer-stream.ts";
import { ConnectionEnd } from "./connection-end.ts";
import { Exchange } from "./exchange.ts";
import type { HeaderFields } from "./header-fields.ts";
import { MalformedRequest } from "./malformed-request.ts";
import { isBodiless } from "./message-grammar.ts";
import { type BodyFlow, ClientGone, RequestBody } from "./request-body.ts";
import { canBecomeHead, largestHead, parseHead, type RequestHead } from "./request-head.ts";

/** What a connection needs from its server. Times are in ticks of the server. */
export interface ConnectionOwner {
  /** The present tick. */
  readonly tick: number;
  readonly patience: Patience;
  serve(exchange: Exchange): void;
  /** Called when an answer is complete, or can't be any more. */
  onEnd(exchange: Exchange): void;
}

/** How long a client may take. */
export interface Patience {
  /** From the connection, or the first byte of a further request, to the end of the head. */
  head: number;
  /** From the end of the head to the end of the body. */
  body: number;
  /** Between two requests. */
  next: number;
  /** From the end of an answer until it has taken all of it. */
  answer: number;
}

const endOfHead = Buffer.from("\r\n\r\n");

/** How much of the requests that wait behind another is kept, in bytes. */
const mostWaiting = 64 * 1024;

/** One connection of HTTP/1.1: takes requests apart, has them served one after the other, and writes their answers. */
export class Connection implements BodyFlow {
  /** The tick after which it is closed. */
  deadline: number;
  readonly #socket: Socket;
  readonly #owner: ConnectionOwner;
  /** What has come and can't be read yet. */
  #waiting: Buffer | undefined;
  #exchange: Exchange | undefined;
  #body: RequestBody | undefined;
  /** The headers of the last request. */
  #fields: HeaderFields | undefined;
  #isAdvancing = false;
  #isHeadBegun = true;
  /** Whether the client waits to be asked for the body. */
  #isAsking = false;
  /** Whether more requests may come after this one. */
  #isKept = true;
  #isChunkable = true;
  /** The tick until which the client may take what it has been answered. */
  #takenBy = 0;
  /** Whether it is still taking that. */
  #isTaking = false;
  readonly #end: ConnectionEnd;

  constructor(socket: Socket, owner: ConnectionOwner) {
    this.#socket = socket;
    this.#owner = owner;
    this.#end = new ConnectionEnd(socket);
    this.deadline = owner.tick + owner.patience.head;
    socket.on("data", (bytes: Buffer) => this.#receive(bytes));
    // A client that sends no more takes no answer either: it can't be told from one that is gone.
    socket.on("end", () => this.#lose());
    socket.on("close", () => this.#lose());
    socket.on("drain", () => {
      if (!this.#exchange) this.#proceed();
    });
    socket.on("error", () => undefined);
  }

  /** Closes it, whatever is going on. */
  destroy(): void {
    this.#socket.destroy();
  }

  /** Resets it, as a network that fails does. */
  reset(): void {
    this.#socket.resetAndDestroy();
  }

  /** The client has taken too long. */
  expire(): void {
    this.deadline = Number.POSITIVE_INFINITY;
    if (this.#exchange) {
      this.#isKept = false;
      this.#body?.lose(new HttpError(408, "The body of the request didn't come in time.", { connection: "close" }));
    } else if (this.#socket.writableLength > 0 && this.#owner.tick < this.#takenBy) this.deadline = this.#owner.tick;
    else if (this.#isTaking && this.#socket.writableLength === 0) this.#awaitNext();
    else if (this.#waiting && this.#socket.writableLength === 0)
      this.#refuse(new MalformedRequest(408, "The head of the request didn't come in time."));
    else this.#socket.destroy();
  }

  /** Answers the present request with all there is. `content` has `length` bytes; `undefined`: no body. */
  answer(status: number, lines: readonly string[], content: string | Uint8Array | undefined, length: number): void {
    const exchange = this.#exchange;
    if (!exchange) return;
    const head = this.#head(exchange, status, lines);
    if (content === undefined || exchange.method === "HEAD") this.#socket.write(head, "latin1");
    else if (typeof content === "string" && content.length === length) this.#socket.write(head + content, "latin1");
    else {
      this.#socket.cork();
      this.#socket.write(head, "latin1");
      this.#socket.write(content);
      this.#socket.uncork();
    }
    this.#finish();
  }

  /** Begins an answer whose body comes by and by; the client learns at once that it has begun. */
  stream(status: number, lines: readonly string[]): AnswerStream {
    const exchange = this.#exchange;
    const isChunked = this.#isChunkable;
    if (!isChunked) this.#isKept = false;
    if (exchange) {
      const framing = isChunked ? [...lines, "transfer-encoding", "chunked"] : lines;
      this.#socket.write(this.#head(exchange, status, framing), "latin1");
    }
    return new AnswerStream(this.#socket, isChunked, () => this.#finish());
  }

  /** Sends the head of an answer and the beginning of its body, and breaks off there. `length`: of the whole body; `undefined`: it's a stream. */
  async breakOffAfter(
    status: number,
    lines: readonly string[],
    beginning: Uint8Array,
    length: number | undefined,
  ): Promise<void> {
    if (!this.#exchange) return;
    const hasNoBody = this.#exchange.method === "HEAD" || isBodiless(status);
    if (length === undefined && !hasNoBody) this.stream(status, lines).write(beginning);
    else {
      const framing = length === undefined || hasNoBody ? lines : [...lines, "content-length", String(length)];
      this.#socket.write(this.#head(this.#exchange, status, framing), "latin1");
      if (!hasNoBody) this.#socket.write(beginning);
    }
    // Where only the end of the connection ends the body, an orderly one would say that it is complete.
    if (length === undefined && !hasNoBody && !this.#isChunkable) {
      await new Promise<void>((resolve) => this.#socket.write("", () => resolve()));
      this.#socket.resetAndDestroy();
      return;
    }
    await new Promise<void>((resolve) => this.#socket.end(() => resolve()));
    this.#socket.destroy();
  }

  #head(exchange: Exchange, status: number, lines: readonly string[]): string {
    const connection = lines.indexOf("connection");
    // A client that has asked whether to send its body, and wasn't told to, may send it or not: what comes next can't be told.
    const isUnasked = this.#isAsking && this.#body?.isComplete === false;
    this.#isAsking = false;
    if (isUnasked || (connection >= 0 && lines[connection + 1] === "close")) this.#isKept = false;
    const head = answerHead(status, lines, this.#isKept);
    exchange.status = status;
    return head;
  }

  #receive(bytes: Buffer): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    this.#advance(waiting ? Buffer.concat([waiting, bytes]) : bytes);
  }

  /** Reads as much as can be read now, and keeps the rest. */
  #advance(bytes: Buffer): void {
    this.#isAdvancing = true;
    let position = 0;
    while (position < bytes.length) {
      if (this.#body && !this.#body.isComplete) position = this.#takeBody(this.#body, bytes, position);
      else if (this.#end.hasBegun) position = bytes.length;
      else if (this.#exchange || this.#socket.writableNeedDrain) {
        this.#keep(bytes.subarray(position));
        break;
      } else {
        const end = this.#takeHead(bytes, position);
        if (end === undefined) break;
        position = end;
      }
    }
    this.#isAdvancing = false;
    if (this.#end.hasBegun) this.#end.pass(bytes.length, !this.#exchange && this.#body?.isComplete === true);
  }

  /** Reads what has been kept. */
  #proceed(): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (this.#socket.isPaused()) this.#socket.resume();
    if (waiting) this.#advance(waiting);
  }

  /** Keeps what stands behind an answer that isn't complete, or that its client hasn't taken yet. */
  #keep(bytes: Buffer): void {
    this.#waiting = bytes;
    if (bytes.length > mostWaiting) this.#socket.pause();
  }

  /** Returns where the body ends, or all that there is. */
  #takeBody(body: RequestBody, bytes: Buffer, start: number): number {
    try {
      const end = body.take(bytes, start);
      if (body.isComplete) {
        if (this.#exchange) this.deadline = Number.POSITIVE_INFINITY;
        else this.#awaitNext();
      }
      return end;
    } catch (error) {
      if (!(error instanceof MalformedRequest)) throw error;
      this.#isKept = false;
      body.lose(new HttpError(error.status, error.message, { connection: "close" }));
      this.#body = undefined;
      this.#end.begin();
      if (!this.#exchange) this.#close();
      return bytes.length;
    }
  }

  /** Reads a head and has the request served. Returns where that ends; `undefined` when nothing more can be read. */
  #takeHead(bytes: Buffer, start: number): number | undefined {
    // An empty line before a request is passed over (RFC 9112, section 2.2).
    if (bytes[start] === 0x0d && bytes[start + 1] === 0x0a) return start + 2;
    const end = bytes.indexOf(endOfHead, start);
    if ((end < 0 ? bytes.length : end) - start > largestHead) {
      return this.#refuse(new MalformedRequest(431, `The head of the request is larger than ${largestHead} bytes.`));
    }
    if (end < 0) {
      if (!canBecomeHead(bytes, start)) {
        return this.#refuse(new MalformedRequest(400, "This is no request line of HTTP/1.1."));
      }
      if (!this.#isHeadBegun) this.deadline = this.#owner.tick + this.#owner.patience.head;
      this.#isHeadBegun = true;
      this.#waiting = bytes.subarray(start);
      return undefined;
    }
    let head: RequestHead;
    try {
      head = parseHead(bytes.toString("latin1", start, end + 2), this.#fields);
    } catch (error) {
      if (!(error instanceof MalformedRequest)) throw error;
      return this.#refuse(error);
    }
    return this.#begin(head, bytes, end + 4);
  }

  /** Has a request served, whose body begins at `start`. Returns where it ends, or all that there is. */
  #begin({ method, target, minorVersion, fields }: RequestHead, bytes: Buffer, start: number): number {
    this.#fields = fields;
    this.#isHeadBegun = false;
    this.#isTaking = false;
    this.#isKept = minorVersion === 1 ? fields.connection !== "close" : fields.connection === "keep-alive";
    this.#isChunkable = minorVersion === 1;
    this.#isAsking = minorVersion === 1 && fields.expectsContinue;
    const body = new RequestBody(fields, this);
    this.#body = body;
    this.#exchange = new Exchange(this, method, target, fields, body);
    this.deadline = body.isComplete ? Number.POSITIVE_INFINITY : this.#owner.tick + this.#owner.patience.body;
    const end = body.isComplete ? start : this.#takeBody(body, bytes, start);
    this.#owner.serve(this.#exchange);
    return end;
  }

  /** Somebody wants the body, which the client may wait to be asked for. */
  wanted(): void {
    if (this.#isAsking) this.#socket.write("HTTP/1.1 100 Continue\r\n\r\n", "latin1");
    this.#isAsking = false;
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    if (this.#socket.isPaused()) this.#socket.resume();
  }

  /** The answer has been handed over. */
  #finish(): void {
    const exchange = this.#exchange;
    if (!exchange) return;
    this.#exchange = undefined;
    this.#owner.onEnd(exchange);
    if (!this.#isKept) {
      this.#close();
      return;
    }
    if (this.#body?.isComplete === false) {
      this.#body.passOver();
      this.deadline = this.#owner.tick + this.#owner.patience.body;
    } else this.#awaitNext();
    if (!this.#isAdvancing) this.#proceed();
  }

  /** Gives the client its time until the next request, which begins when it has taken what it was answered. */
  #awaitNext(): void {
    const { tick, patience } = this.#owner;
    this.#isTaking = this.#socket.writableLength > 0;
    this.deadline = this.#isTaking ? tick : tick + patience.next;
    this.#takenBy = tick + patience.answer;
  }

  /** Answers what is no request, after which nothing can be told from anything any more. */
  #refuse({ status, message }: MalformedRequest): undefined {
    const text = JSON.stringify({ detail: message });
    const lines = ["content-type", "application/json", "content-length", String(text.length)];
    this.#socket.write(answerHead(status, lines, false) + text, "latin1");
    this.#body = undefined;
    this.#end.begin();
    this.#close();
    return undefined;
  }

  /** Closes the connection once the client has sent what it is sending: it would miss its answer otherwise. */
  #close(): void {
    const isSending = this.#end.hasBegun || this.#body?.isComplete === false || this.#waiting !== undefined;
    this.#end.begin();
    this.#takenBy = this.#owner.tick + this.#owner.patience.answer;
    this.deadline = this.#takenBy;
    if (!isSending) {
      this.#end.leave();
      return;
    }
    this.#waiting = undefined;
    this.#body?.passOver();
    this.resume();
    this.#end.leaveSoon();
  }

  /** Nobody is there any more. */
  #lose(): void {
    this.#end.cancel();
    this.deadline = this.#owner.tick + this.#owner.patience.answer;
    this.#waiting = undefined;
    this.#body?.lose(new ClientGone());
    const exchange = this.#exchange;
    if (!exchange) return;
    this.#exchange = undefined;
    exchange.abandon();
    this.#owner.onEnd(exchange);
    this.#socket.destroy();
  }
}
