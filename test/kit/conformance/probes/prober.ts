import { request } from "node:http";
import { text } from "node:stream/consumers";
import { factsOf, type ResponseFacts, type WireResponse } from "../response-facts.ts";

// biome-ignore lint/suspicious/noExplicitAny: probes inspect responses of any shape
type Json = any;

/** Sends requests to a server, and records the structure of the named responses. */
export interface Prober {
  /** Sends a request and records the facts of the response under a name. @returns the body if it is JSON */
  record(name: string, method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Json>;
  /** Records a stream. `during` starts with the stream's first event. */
  recordDuring(name: string, path: string, during: () => Promise<void>): Promise<void>;
  /** Sends a request without recording the response. */
  ask(method: string, path: string, body?: unknown): Promise<Json>;
  /** Creates a thread and returns its id. */
  newThread(): Promise<string>;
  /** Waits until a run of the graph "slow" has sent its first tick. */
  untilUnderWay(threadId: string): Promise<void>;
  readonly facts: Record<string, ResponseFacts>;
}

/** @param url the server's URL, without a trailing slash */
export function createProber(url: string): Prober {
  const facts: Record<string, ResponseFacts> = {};

  async function ask(method: string, path: string, body?: unknown): Promise<Json> {
    return jsonOf((await send(url + path, method, body)).text);
  }

  return {
    facts,
    ask,
    async record(name, method, path, body, headers) {
      const response = await send(url + path, method, body, headers);
      facts[name] = factsOf(response);
      return jsonOf(response.text);
    },
    async recordDuring(name, path, during) {
      let happened: Promise<void> | undefined;
      const response = await send(url + path, "GET", undefined, {}, () => {
        happened ??= during();
      });
      await happened;
      facts[name] = factsOf(response);
    },
    newThread: async () => (await ask("POST", "/threads", {})).thread_id,
    async untilUnderWay(threadId) {
      while (!(await ask("GET", `/store/items?namespace=under-way&key=${threadId}`))) {
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}

/** Sends a string body as it is. */
function send(
  url: string,
  method: string,
  body?: unknown,
  headers: Record<string, string> = {},
  onData: () => void = () => undefined,
): Promise<WireResponse> {
  const content = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const type: Record<string, string> = content === undefined ? {} : { "content-type": "application/json" };
    const length = content === undefined ? {} : { "content-length": Buffer.byteLength(content) };
    const sent = request(url, { method, headers: { "user-agent": "probe", ...type, ...length, ...headers } });
    sent.on("response", (response) => {
      response.on("data", onData);
      text(response).then((body) => {
        const received = response.headers as Record<string, string | undefined>;
        resolve({ status: response.statusCode as number, headers: received, text: body });
      }, reject);
    });
    sent.on("error", reject);
    sent.end(content);
  });
}

function jsonOf(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A valid id that nothing has. */
export const unknownId = "33333333-3333-4333-8333-333333333333";

export const hello = { messages: [{ type: "human", content: "hello", id: "h1" }] };
