import type { Connection } from "./connection.ts";
import type { HeaderFields } from "./header-fields.ts";
import type { RequestBody } from "./request-body.ts";

const noParams: Readonly<Record<string, string>> = {};

/** One request, what has been found out about it, and the connection that its answer goes to. What few ask for is made when it is asked for. */
export class Exchange {
  /** Where the answer goes. */
  readonly connection: Connection;
  /** As it was sent, which is in upper case for all methods that there are. */
  readonly method: string;
  /** The request target, as it was sent. */
  readonly target: string;
  /** Encoded, without the query. Of what can't be decoded, each percent sign stands for itself. */
  readonly rawPath: string;
  readonly body: RequestBody;
  /** The status that was answered; `null` until then. */
  status: number | null = null;
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
  readonly #fields: HeaderFields;
  readonly #search: string;
  #query: URLSearchParams | undefined;
  #headers: Headers | undefined;
  #isGone = false;
  #whenGone: (() => void)[] | undefined;

  constructor(connection: Connection, method: string, target: string, fields: HeaderFields, body: RequestBody) {
    this.connection = connection;
    this.method = method;
    this.target = target;
    this.body = body;
    this.#fields = fields;
    const path = originForm(target);
    const mark = path.indexOf("?");
    this.rawPath = decodable(mark < 0 ? path : path.slice(0, mark));
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
    return this.#fields.lines;
  }

  /** All headers. Costs more than all the rest of a small request: {@link header} doesn't. */
  get headers(): Headers {
    if (this.#headers) return this.#headers;
    const headers = new Headers();
    const { lines } = this.#fields;
    for (let index = 0; index + 1 < lines.length; index += 2) {
      headers.append(lines[index] as string, lines[index + 1] as string);
    }
    this.#headers = headers;
    return headers;
  }

  /** One header; `name` is in lower case. */
  header(name: string): string | undefined {
    return this.#fields.get(name);
  }

  param(name: string): string {
    return this.params[name] ?? "";
  }

  /** Whether the caller has hung up before the answer was complete. */
  get isGone(): boolean {
    return this.#isGone;
  }

  /** Has `callback` called when the caller hangs up before the answer is complete. Returns what takes that back. */
  whenGone(callback: () => void): () => void {
    if (this.#isGone) callback();
    else {
      this.#whenGone ??= [];
      this.#whenGone.push(callback);
    }
    return () => {
      this.#whenGone = this.#whenGone?.filter((other) => other !== callback);
    };
  }

  /** The caller has hung up. */
  abandon(): void {
    this.#isGone = true;
    const callbacks = this.#whenGone;
    this.#whenGone = undefined;
    for (const callback of callbacks ?? []) callback();
  }

  /** What is aborted when the caller hangs up before the answer is complete. */
  signal(): AbortSignal {
    const controller = new AbortController();
    this.whenGone(() => controller.abort());
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
