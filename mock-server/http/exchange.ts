import type { IncomingMessage, ServerResponse } from "node:http";

const noParams: Readonly<Record<string, string>> = {};

/** One request, what has been found out about it, and the connection that its answer goes to. What few ask for is made when it is asked for. */
export class Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** In upper case. */
  readonly method: string;
  /** Encoded, without the query. Of what can't be decoded, each percent sign stands for itself. */
  readonly rawPath: string;
  /** The parameters of the path, decoded. */
  params: Readonly<Record<string, string>> = noParams;
  /** Empty where requests have no ids. */
  requestId = "";
  /** The operation that the request belongs to. */
  operation: string | null = null;
  /** The workspace that it is for. */
  tenant: string | null = null;
  /** The body, once it has been read as text. */
  requestText: string | undefined;
  readonly #search: string;
  #query: URLSearchParams | undefined;
  #headers: Headers | undefined;

  constructor(incoming: IncomingMessage, outgoing: ServerResponse) {
    this.incoming = incoming;
    this.outgoing = outgoing;
    this.method = incoming.method ?? "GET";
    const target = originForm(incoming.url ?? "/");
    const mark = target.indexOf("?");
    this.rawPath = decodable(mark < 0 ? target : target.slice(0, mark));
    this.#search = mark < 0 ? "" : target.slice(mark + 1);
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

  /** All headers. Costs more than all the rest of a small request: {@link header} doesn't. */
  get headers(): Headers {
    if (this.#headers) return this.#headers;
    const headers = new Headers();
    const { rawHeaders } = this.incoming;
    for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
      headers.append(rawHeaders[index] as string, rawHeaders[index + 1] as string);
    }
    this.#headers = headers;
    return headers;
  }

  /** One header; `name` is in lower case. */
  header(name: string): string | undefined {
    const value = this.incoming.headers[name];
    return Array.isArray(value) ? value.join(", ") : value;
  }

  param(name: string): string {
    return this.params[name] ?? "";
  }

  /** What is aborted when the caller hangs up before the answer is complete. */
  signal(): AbortSignal {
    const controller = new AbortController();
    this.outgoing.once("close", () => {
      if (!this.outgoing.writableFinished) controller.abort();
    });
    return controller.signal;
  }
}

/** The path and query of a request target, which proxies send with the scheme and the host in front. */
function originForm(target: string): string {
  if (target.startsWith("/") || !URL.canParse(target)) return target;
  const { pathname, search } = new URL(target);
  return pathname + search;
}

function decodable(path: string): string {
  if (!path.includes("%")) return path;
  try {
    decodeURIComponent(path);
    return path;
  } catch {
    return path.replaceAll("%", "%25");
  }
}
