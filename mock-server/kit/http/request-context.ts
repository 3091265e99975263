import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { ByteCollector } from "./byte-collector.ts";
import { HttpError } from "./http-error.ts";

/** Default limit of a request body: 1 MiB. */
const defaultLimitBytes = 1024 * 1024;

const noParams: Readonly<Record<string, string>> = {};

/** Thrown when the client disconnects before its request is complete. */
export class ClientDisconnected extends Error {
  constructor() {
    super("The client disconnected before its request was complete.");
  }
}

/** One request, and what middleware adds to it. */
export class RequestContext {
  /** As sent; all standard methods are upper-case. */
  readonly method: string;
  /** The request target, as sent. */
  readonly target: string;
  /**
   * Percent-encoded in normal form, without the query: characters that need no encoding aren't encoded (`/%69nternal`
   * is `/internal`). In a path that can't be decoded, each percent sign is literal.
   */
  readonly rawPath: string;
  /** The parameters of the path, decoded. */
  params: Readonly<Record<string, string>> = noParams;
  /** Empty on servers without request ids. */
  requestId = "";
  /** The operation, once routing has found it. */
  operation: string | null = null;
  /** The workspace, once the request is authenticated. */
  tenant: string | null = null;
  /** The body, once it has been read as text. */
  requestText: string | undefined;
  /** Maximum size of the body where its reader names none, in bytes. @default 1 MiB */
  bodyLimitBytes: number | undefined;
  /** Whether the client disconnected before the response was complete. */
  isDisconnected = false;
  /** Sends `100 Continue` to a client that waits for it before it sends the body. */
  requestBody: () => void = () => undefined;
  readonly #message: IncomingMessage;
  readonly #search: string;
  #closed: AbortController | undefined;
  #query: URLSearchParams | undefined;
  #headers: Headers | undefined;
  /** A body that is read in chunks, and what has been read of it. */
  #chunked: { source: AsyncIterator<Buffer>; read: ByteCollector } | undefined;

  constructor(message: IncomingMessage) {
    this.#message = message;
    this.method = message.method as string;
    this.target = message.url as string;
    const path = originForm(this.target);
    const queryStart = path.indexOf("?");
    this.rawPath = normalized(queryStart < 0 ? path : path.slice(0, queryStart));
    this.#search = queryStart < 0 ? "" : path.slice(queryStart + 1);
  }

  /** Decoded, without the query. */
  get path(): string {
    return decodeURI(this.rawPath);
  }

  /** The query as sent, without its question mark. */
  get search(): string {
    return this.#search;
  }

  get hasQuery(): boolean {
    return this.#search !== "";
  }

  get query(): URLSearchParams {
    this.#query ??= new URLSearchParams(this.#search);
    return this.#query;
  }

  /** Alternating names, as sent, and values of headers. */
  get headerLines(): readonly string[] {
    return this.#message.rawHeaders;
  }

  get headers(): Headers {
    if (this.#headers) return this.#headers;
    const headers = new Headers();
    const lines = this.headerLines;
    for (let index = 0; index + 1 < lines.length; index += 2) {
      headers.append(lines[index] as string, lines[index + 1] as string);
    }
    this.#headers = headers;
    return headers;
  }

  /** One header; `name` is in lower case. */
  header(name: string): string | undefined {
    const { headers } = this.#message;
    const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
    return Array.isArray(value) ? value.join(", ") : value;
  }

  param(name: string): string {
    return this.params[name] ?? "";
  }

  /**
   * Aborted when the client disconnects before the response is complete. Created on first use, since few handlers need
   * it.
   */
  get signal(): AbortSignal {
    this.#closed ??= new AbortController();
    if (this.isDisconnected) this.#closed.abort();
    return this.#closed.signal;
  }

  /** Marks the client as disconnected. */
  abort(): void {
    this.isDisconnected = true;
    this.#closed?.abort();
  }

  /** Whether the request has a body, as far as its headers say. */
  get hasBody(): boolean {
    return this.header("transfer-encoding") !== undefined || Number(this.header("content-length") ?? 0) > 0;
  }

  /**
   * The next chunk of the body, `null` at its end; {@link readBytes} then still reads all of it.
   * @throws as {@link readBytes}
   */
  async readChunk(limitBytes = defaultLimitBytes): Promise<Uint8Array | null> {
    if (!this.#chunked) {
      this.requestBody();
      this.#chunked = { source: this.#message[Symbol.asyncIterator](), read: new ByteCollector(limitBytes) };
    }
    const { source, read } = this.#chunked;
    const { done, value } = await source.next().catch(() => {
      throw new ClientDisconnected();
    });
    if (done) return null;
    if (read.add(value)) return value;
    this.discardBody();
    throw tooLargeBody(limitBytes);
  }

  /** Discards the rest of a body that is read in chunks, so that the connection serves the next request. */
  discardBody(): void {
    if (this.#chunked) this.#message.removeAllListeners("readable").resume();
  }

  /**
   * Reads the body; can be called once.
   * @throws {HttpError} 413, with `tooLarge` as its text, for a body over the limit (by default 1 MiB);
   * {ClientDisconnected}.
   */
  async readBytes(limitBytes = defaultLimitBytes, tooLarge?: string): Promise<Buffer> {
    if (Number(this.header("content-length") ?? 0) > limitBytes) throw tooLargeBody(limitBytes, tooLarge);
    if (this.#chunked) {
      while ((await this.readChunk(limitBytes)) !== null);
      return this.#chunked.read.bytes;
    }
    this.requestBody();
    const message = this.#message;
    if (message.destroyed) throw new ClientDisconnected();
    const read = new ByteCollector(limitBytes);
    await new Promise<void>((resolve, reject) => {
      message.once("end", resolve);
      message.once("close", () => {
        if (!message.readableEnded) reject(new ClientDisconnected());
      });
      message.on("data", (piece: Buffer) => {
        if (read.add(piece)) return;
        // The rest is discarded, as Node does where nothing was read: the connection serves the next request.
        message.removeAllListeners("data").resume();
        reject(tooLargeBody(limitBytes, tooLarge));
      });
    });
    return read.bytes;
  }

  /**
   * Reads the body as text, and stores it for the journal.
   * @throws {HttpError} 413 for a body over the limit (by default 1 MiB), 400 for one that isn't UTF-8;
   * {ClientDisconnected}.
   */
  async readText(limitBytes?: number): Promise<string> {
    if (this.requestText !== undefined) return this.requestText;
    const bytes = await this.readBytes(limitBytes ?? this.bodyLimitBytes);
    if (!isUtf8(bytes)) throw new HttpError(400, "The body is not valid UTF-8.");
    const text = bytes.toString("utf8");
    this.requestText = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
    return this.requestText;
  }
}

function tooLargeBody(limitBytes: number, text?: string): HttpError {
  return new HttpError(413, text ?? `The request body is larger than ${limitBytes} bytes.`);
}

/** The path and query of a request target; requests to a proxy have scheme and host in front. */
function originForm(target: string): string {
  if (target.startsWith("/") || !URL.canParse(target)) return target;
  const { pathname, search } = new URL(target);
  return pathname + search;
}

function normalized(path: string): string {
  if (!path.includes("%")) return path;
  try {
    decodeURIComponent(path);
  } catch {
    return path.replaceAll("%", "%25");
  }
  return path.replace(/%(?:2[de]|3\d|[46][1-9a-f]|[57][\da]|5f|7e)/gi, decodeURIComponent);
}
