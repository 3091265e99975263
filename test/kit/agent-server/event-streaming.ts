import { once } from "node:events";
import { onTestFinished } from "vitest";
import { WebSocket } from "ws";
import type { Api, ApiResponse } from "../mock-server/api.ts";

/** An event of the streaming protocol. */
export interface ProtocolEvent {
  type: "event";
  event_id: string;
  seq: number;
  method: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests inspect data of any shape
  params: { namespace: string[]; timestamp: number; node?: string; data: any };
}

/** What a subscription asks for; by default everything. */
export interface Wanted {
  channels?: string[];
  namespaces?: string[][];
  depth?: number;
  since?: number;
}

export const allChannels = [
  "values",
  "updates",
  "messages",
  "tools",
  "custom",
  "lifecycle",
  "input",
  "checkpoints",
  "tasks",
];

const ends = ["completed", "failed", "interrupted"];

/** Whether an event is the last one of a run. */
export const endsRun = ({ method, params }: ProtocolEvent) =>
  method === "lifecycle" && params.namespace.length === 0 && ends.includes(params.data.event);

/** The client of one thread, over HTTP; `path` is that of its agent server. */
export function threadOf(url: string, call: Api, threadId: string, headers: Record<string, string> = {}) {
  let lastId = 0;
  const path = `/threads/${threadId}`;
  return {
    /** The response to a command. */
    async command(method: string, params?: object): Promise<ApiResponse["body"]> {
      const { body } = await call("POST", `${path}/commands`, { id: ++lastId, method, params }, headers);
      return body;
    },
    /** Starts a run and returns its events. */
    async run(assistant_id: string, input: unknown, more: object = {}): Promise<ProtocolEvent[]> {
      const events = await openEvents(url, threadId, {}, headers);
      const { meta } = await this.command("agent.getTree");
      const started = await this.command("run.start", { assistant_id, input, ...more });
      if (started.type !== "success") throw new Error(JSON.stringify(started));
      return events.next(endsRun, meta.applied_through_seq);
    },
  };
}

/** Opens a stream of events. */
export async function openEvents(
  url: string,
  threadId: string,
  wanted: Wanted = {},
  headers: Record<string, string> = {},
) {
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  const response = await fetch(`${url}/threads/${threadId}/stream/events`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ channels: allChannels, ...wanted }),
    signal: leaving.signal,
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const frames: string[] = [];
  let rest = "";
  return {
    status: response.status,
    /** The next frame as text, without comments; `undefined` at the end. */
    async frame(): Promise<string | undefined> {
      for (;;) {
        const frame = frames.shift();
        if (frame?.startsWith(":") === false) return frame;
        if (frame !== undefined) continue;
        const { value, done } = (await reader?.read()) ?? { done: true };
        if (done || value === undefined) return undefined;
        const pieces = `${rest}${value}`.split("\n\n");
        rest = pieces.pop() as string;
        frames.push(...pieces);
      }
    },
    /** The next events until one is as wanted, or the stream ends; without those before number `after`. */
    async next(isLast: (event: ProtocolEvent) => boolean, after = 0): Promise<ProtocolEvent[]> {
      const events: ProtocolEvent[] = [];
      for (;;) {
        const frame = await this.frame();
        if (frame === undefined) return events;
        const event = JSON.parse(frame.replace(/[\s\S]*?^data: /m, "").replace(/\nid: .*$/, ""));
        if (event.seq <= after) continue;
        events.push(event);
        if (isLast(event)) return events;
      }
    },
    leave: () => leaving.abort(),
  };
}

/** A client of one thread, over a WebSocket. */
export async function openSocket(url: string, threadId: string, headers: Record<string, string> = {}) {
  const socket = new WebSocket(`${url.replace("http", "ws")}/threads/${threadId}/stream/events`, { headers });
  onTestFinished(() => socket.terminate());
  // biome-ignore lint/suspicious/noExplicitAny: tests inspect messages of any shape
  const messages: any[] = [];
  let wake = () => {};
  socket.on("message", (data) => {
    messages.push(JSON.parse(String(data)));
    wake();
  });
  const closed = once(socket, "close").then(([code, reason]) => {
    wake();
    return { code: code as number, reason: String(reason) };
  });
  await once(socket, "open");
  let lastId = 0;
  return {
    socket,
    messages,
    /** The code and the reason of the close. */
    closed,
    /** Sends a command; returns its id. */
    send(method: string, params?: object): number {
      socket.send(JSON.stringify({ id: ++lastId, method, params }));
      return lastId;
    },
    /** The response to a command. */
    async command(method: string, params?: object) {
      const id = this.send(method, params);
      return this.find((message) => message.id === id && message.type !== "event");
    },
    /** Waits for a message, and returns it. */
    // biome-ignore lint/suspicious/noExplicitAny: tests inspect messages of any shape
    async find(isWanted: (message: any) => boolean) {
      for (;;) {
        const found = messages.find(isWanted);
        if (found) return found;
        if (socket.readyState !== WebSocket.OPEN) throw new Error("The socket was closed.");
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    events: () => messages.filter(({ type }) => type === "event") as ProtocolEvent[],
  };
}

/** Events as short texts, without what differs from run to run. */
export function shown(events: readonly ProtocolEvent[]): string[] {
  return events.map(({ method, params: { namespace, node, data } }) => {
    const place = namespace.map((part) => part.replace(/:.*/, "")).join("/");
    const what = ["lifecycle", "messages", "tools"].includes(method) ? data.event : (node ?? data.name ?? "");
    return [method, place, what].filter((part) => part !== "").join(" ");
  });
}
