import type { ProjectRequest } from "../../agent-server/served-project.ts";
import { changedRequest, type RequestChanges } from "../../kit/http/changed-request.ts";
import { responseOf } from "../../kit/http/errors.ts";
import { HttpError } from "../../kit/http/http-error.ts";
import { type HttpResponse, isBodiless, serialized } from "../../kit/http/http-response.ts";
import type { Handlers } from "../calls.ts";
import type { AppRequest, AppResponse, ResponseBehindApp, ServerMethods } from "../protocol.ts";

/** A body up to this size, in bytes, is sent with its request. */
const maxInlineBytes = 64 * 1024;

/** Responds to a request behind the app, which may have changed it. */
export type RespondBehindApp = (context: ProjectRequest["context"]) => Promise<HttpResponse>;

type AppRequestHandlers = Pick<
  Handlers<ServerMethods>,
  "readRequestBody" | "respondBehindApp" | "readBehindApp" | "cancelBehindApp"
>;

/** The requests to a project's app that are in progress, and the handlers that serve its worker in them. */
export class AppRequests {
  readonly #open = new Map<number, OpenAppRequest>();
  #lastId = 0;

  open(request: ProjectRequest, behind: RespondBehindApp): OpenAppRequest {
    const id = ++this.#lastId;
    const opened = new OpenAppRequest(id, request, behind, () => this.#open.delete(id));
    this.#open.set(id, opened);
    return opened;
  }

  readonly handlers: AppRequestHandlers = {
    readRequestBody: (handle) => this.#get(handle).readBody(),
    respondBehindApp: ({ handle, changes }) => this.#get(handle).respondBehind(changes),
    readBehindApp: ({ handle, response }) => this.#get(handle).read(response),
    cancelBehindApp: ({ handle, response }) => this.#get(handle).cancel(response),
  };

  #get(id: number): OpenAppRequest {
    const found = this.#open.get(id);
    if (!found) throw new TypeError("The request that this belongs to has ended.");
    return found;
  }
}

/** One request to an app, with the server's responses to its middleware. */
class OpenAppRequest {
  readonly #id: number;
  readonly #request: ProjectRequest;
  readonly #behind: RespondBehindApp;
  readonly #onEnd: () => void;
  readonly #responses: (HttpResponse | undefined)[] = [];
  readonly #readers = new Map<number, ReadableStreamDefaultReader<Uint8Array>>();
  #isEnded = false;
  /** Why the body of the request was refused while the app was reading it. */
  refusal: HttpError | undefined;

  constructor(id: number, request: ProjectRequest, behind: RespondBehindApp, onEnd: () => void) {
    this.#id = id;
    this.#request = request;
    this.#behind = behind;
    this.#onEnd = onEnd;
  }

  /** The request as the worker gets it. @throws {HttpError} 413; {ClientDisconnected} */
  async requestFor(url: string): Promise<AppRequest> {
    const { context, bodyLimitBytes } = this.#request;
    const { method, headers } = context;
    const canHaveBody = context.hasBody && method !== "GET" && method !== "HEAD";
    const isSmall = Number(context.header("content-length") ?? Number.NaN) <= maxInlineBytes;
    if (canHaveBody && isSmall) while ((await context.readChunk(bodyLimitBytes)) !== null);
    const body = !canHaveBody ? null : isSmall ? await context.readBytes(bodyLimitBytes) : "streamed";
    return { handle: this.#id, method, url, headers: [...headers], body };
  }

  async readBody(): Promise<Uint8Array | null> {
    try {
      return await this.#request.context.readChunk(this.#request.bodyLimitBytes);
    } catch (error) {
      if (error instanceof HttpError) this.refusal = error;
      throw error;
    }
  }

  async respondBehind(changes: RequestChanges): Promise<ResponseBehindApp> {
    const { context } = this.#request;
    const changed = changedRequest(context, changes);
    const response = serialized(await this.#behind(changed).catch(responseOf));
    if (changed.requestText !== undefined) context.requestText = changed.requestText;
    const hasBody = !isBodiless(response.status) && (response.json ?? response.content) !== undefined;
    const id = this.#responses.push(response) - 1;
    // The client may have disconnected in the meantime.
    if (this.#isEnded) this.end();
    const headers = Object.entries(response.headers ?? {}).flatMap(([name, value]) =>
      [value].flat().map((one): [string, string] => [name, String(one)]),
    );
    return { status: response.status, headers, response: id, hasBody };
  }

  async read(id: number): Promise<Uint8Array | null> {
    const { json, content } = this.#responses[id] ?? {};
    if (!this.#readers.has(id) && !(content instanceof ReadableStream)) {
      this.#responses[id] = undefined;
      const payload = json ?? content;
      return payload === undefined ? null : Buffer.from(payload as string | Uint8Array);
    }
    const reader = this.#readers.get(id) ?? (content as ReadableStream<Uint8Array>).getReader();
    this.#readers.set(id, reader);
    const { done, value } = await reader.read();
    return done ? null : value;
  }

  async cancel(id: number): Promise<void> {
    const { content } = this.#responses[id] ?? {};
    this.#responses[id] = undefined;
    await (this.#readers.get(id) ?? (content instanceof ReadableStream ? content : undefined))?.cancel();
  }

  /** The response that the app returned. `open` opens its body in the worker, which ends this at its end. */
  finish(
    { status, headers: lines, body, passedOn }: AppResponse,
    open: (body: string, onEnd: () => void) => ReadableStream<Uint8Array>,
  ): HttpResponse {
    const headers: Record<string, string | string[]> = {};
    for (const [name, value] of new Headers(lines)) {
      const known = headers[name];
      headers[name] = known === undefined ? value : [known, value].flat();
    }
    if (body !== null) return { status, headers, content: open(body, () => this.end()) };
    const { json, content } = (passedOn === null ? undefined : this.#responses[passedOn]) ?? {};
    if (passedOn !== null) this.#responses[passedOn] = undefined;
    this.end();
    return {
      status,
      headers,
      ...(json === undefined ? {} : { json }),
      ...(content === undefined ? {} : { content }),
    };
  }

  /** Cancels what the app hasn't passed on. */
  end(): void {
    this.#isEnded = true;
    this.#onEnd();
    for (const id of this.#responses.keys()) void this.cancel(id).catch(() => undefined);
  }
}
