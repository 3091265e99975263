import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { HttpError } from "./http-error.ts";

/** Largest body that is accepted unless another limit is given: 1 MiB. */
const defaultLimitBytes = 1024 * 1024;

const noParams: Readonly<Record<string, string>> = {};

/** The client disconnected before its request was complete. */
export class ClientDisconnected extends Error {
  constructor() {
    super("The client disconnected before its request was complete.");
  }
}

/** One request, and what the middleware finds out about it. */
export class RequestContext {
  /** As it was sent, which is in upper case for all methods that there are. */
  readonly method: string;
  /** The request target, as it was sent. */
  readonly target: string;
  /**
   * Encoded, without the query. What needs no encoding isn't encoded, so that a path has one form (`/%69nternal` is `/internal`). In a path that can't be
   * decoded, each percent sign stands for itself.
   */
  readonly rawPath: string;
  /** The parameters of the path, decoded. */
  params: Readonly<Record<string, string>> = noParams;
  /** Empty on servers that give requests no ids. */
  requestId = "";
  /** The operation that the request belongs to. */
  operation: string | null = null;
  /** The workspace that the request is for. */
  tenant: string | null = null;
  /** The body, once it has been read as text. */
  requestText: string | undefined;
  /** The client disconnected before the response was complete. */
  isDisconnected = false;
  /** Asks the client for a body that it holds back until then (`Expect: 100-continue`). */
  requestBody: () => void = () => undefined;
  readonly #message: IncomingMessage;
  readonly #search: string;
  #closed: AbortController | undefined;
  #query: URLSearchParams | undefined;
  #headers: Headers | undefined;

  constructor(message: IncomingMessage) {
    this.#message = message;
    this.method = message.method as string;
    this.target = message.url as string;
    const path = originForm(this.target);
    const mark = path.indexOf("?");
    this.rawPath = normalized(mark < 0 ? path : path.slice(0, mark));
    this.#search = mark < 0 ? "" : path.slice(mark + 1);
  }

  /** Decoded, without the query. */
  get path(): string {
    return decodeURI(this.rawPath);
  }

  get hasQuery(): boolean {
    return this.#search !== "";
  }

  get query(): URLSearchParams {
    this.#query ??= new URLSearchParams(this.#search);
    return this.#query;
  }

  /** Names of headers, as they were sent, and values in turn. */
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

  /** Aborted when the client disconnects before the response is complete. Few handlers wait for that, so it is made when it is asked for. */
  get signal(): AbortSignal {
    this.#closed ??= new AbortController();
    if (this.isDisconnected) this.#closed.abort();
    return this.#closed.signal;
  }

  /** The client disconnected. */
  abort(): void {
    this.isDisconnected = true;
    this.#closed?.abort();
  }

  /**
   * The body, which can be read once.
   * @throws {HttpError} 413, with `tooLarge` as its text, for a body over the limit (by default 1 MiB); {ClientDisconnected}.
   */
  async readBytes(limitBytes = defaultLimitBytes, tooLarge?: string): Promise<Buffer> {
    const refusal = () => new HttpError(413, tooLarge ?? `The request body is larger than ${limitBytes} bytes.`);
    if (Number(this.header("content-length") ?? 0) > limitBytes) throw refusal();
    this.requestBody();
    const message = this.#message;
    if (message.destroyed) throw new ClientDisconnected();
    // One buffer that grows: a body can come in millions of pieces, each of which takes far more than its own bytes.
    let bytes = Buffer.alloc(0);
    let size = 0;
    const take = (piece: Buffer) => {
      const reached = size + piece.length;
      if (reached > bytes.length) {
        const larger = Buffer.allocUnsafe(Math.min(limitBytes, Math.max(reached, 2 * bytes.length)));
        bytes.copy(larger, 0, 0, size);
        bytes = larger;
      }
      piece.copy(bytes, size);
      size = reached;
    };
    await new Promise<void>((resolve, reject) => {
      message.once("end", resolve);
      message.once("close", () => {
        if (!message.readableEnded) reject(new ClientDisconnected());
      });
      message.on("data", (piece: Buffer) => {
        if (size + piece.length <= limitBytes) return take(piece);
        message.removeAllListeners("data").pause();
        reject(refusal());
      });
    });
    return bytes.subarray(0, size);
  }

  /**
   * The body as text, which is kept for the journal.
   * @throws {HttpError} 413 for a body over the limit (by default 1 MiB), 400 for one that isn't UTF-8; {ClientDisconnected}.
   */
  async readText(limitBytes?: number): Promise<string> {
    if (this.requestText !== undefined) return this.requestText;
    const bytes = await this.readBytes(limitBytes);
    if (!isUtf8(bytes)) throw new HttpError(400, "The body is not valid UTF-8.");
    const text = bytes.toString("utf8");
    this.requestText = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
    return this.requestText;
  }
}

/** The path and query of a request target, which proxies send with the scheme and the host in front. */
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
