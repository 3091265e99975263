import type { Api, ApiResponse } from "../mock-server/api.ts";

export const acceptsBoth = { accept: "application/json, text/event-stream" };

/** A message as version 0.3 has it: text, or data. */
export function messageOf(content: string | object, more: object = {}) {
  const part = typeof content === "string" ? { kind: "text", text: content } : { kind: "data", data: content };
  return { kind: "message", role: "user", messageId: "m1", parts: [part], ...more };
}

/** A client of A2A, for one assistant, that sends what it is given; a value is sent as JSON. */
export function a2aOf(call: Api, assistant: string) {
  const post = (body: unknown, headers: Record<string, string> = {}): Promise<ApiResponse> =>
    call("POST", `/a2a/${assistant}`, body, { ...acceptsBoth, ...headers });
  /** The response to a request with id 1. */
  const request = async (method: string, params?: unknown, headers?: Record<string, string>) =>
    (await post({ jsonrpc: "2.0", id: 1, method, ...(params === undefined ? {} : { params }) }, headers)).body;
  return {
    post,
    request,
    /** The task that a message leads to. */
    async send(content: string | object, more?: object, configuration?: object) {
      const params = { message: messageOf(content, more), ...(configuration ? { configuration } : {}) };
      const { result, error } = await request("message/send", params);
      if (error) throw new Error(`${error.code}: ${error.message}`);
      return result;
    },
    /** The events of a stream that ends. */
    async stream(method: string, params: unknown, headers?: Record<string, string>) {
      return eventsIn(await request(method, params, headers));
    },
    async task(id: string, more: object = {}) {
      const { result, error } = await request("tasks/get", { id, ...more });
      return result ?? error;
    },
  };
}

/** The events in the body of a stream: results, or errors. */
export function eventsIn(body: string) {
  const frames = body.split("\n\n").filter((frame) => frame.startsWith("data: "));
  return frames
    .map((frame) => JSON.parse(frame.slice("data: ".length)))
    .map(({ result, error }) => result ?? { error });
}
