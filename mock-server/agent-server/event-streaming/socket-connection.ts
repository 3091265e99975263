import { setImmediate } from "node:timers/promises";
import type { RawData, WebSocket } from "ws";
import type { Frame, LogReader } from "../../kit/log-reader.ts";
import type { Fields } from "../engine/contract.ts";
import type { ProtocolHost } from "../protocol-host.ts";
import { CommandError } from "./command-error.ts";
import { subscriptionUnsubscribe } from "./command-schemas.ts";
import { type CommandHandler, commandIn, execute, validParams } from "./commands.ts";
import { errorText } from "./event-readers.ts";
import type { EventStreaming } from "./event-streaming.ts";
import { matches, type Subscription, subscriptionSchema, withKnownSince } from "./subscription.ts";

/** Maximum number of subscriptions of a connection. */
const maxSubscriptions = 1000;

/** Bytes that may wait in the socket, and characters that may wait for it, before commands are read again. */
const maxWaiting = 1024 * 1024;

/** Close codes of WebSockets: those of the standard, or 4000 and the status of a response. */
const closeCodes = { goingAway: 1001, unsupportedData: 1003, deleted: 4404, lagging: 4429 };

/** A WebSocket of a client: its commands, one after another, and the events that it has subscribed to. */
export class SocketConnection {
  readonly #socket: WebSocket;
  readonly #host: ProtocolHost;
  readonly #streaming: EventStreaming;
  readonly #threadId: string;
  readonly #reader: LogReader;
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #keepAlive: NodeJS.Timeout;
  /** The commands that have been received and not executed, as text. */
  #waiting: string[] = [];
  #isExecuting = false;
  /** Subscriptions whose earlier events haven't been sent. */
  readonly #fresh = new Map<string, Subscription>();
  /** The number of the last event before them. */
  #lastBefore = 0;
  #lastSubscribed = performance.now();
  /** Called when commands may be read again. */
  #hasRoom = () => {};

  /** Takes over a socket that has been accepted. @throws {HttpError} 404 for a thread that is hidden from the caller. */
  constructor(socket: WebSocket, host: ProtocolHost, streaming: EventStreaming, threadId: string) {
    this.#socket = socket;
    this.#host = host;
    this.#streaming = streaming;
    this.#threadId = threadId;
    this.#reader = streaming.readers.open(threadId, {
      lastSubscribed: () => this.#lastSubscribed,
      minHoldMs: 0,
      accepts: (frame) => this.#fresh.size === 0 && this.#wants(frame),
      renderError: (message) => this.#cut(message),
    });
    this.#keepAlive = setInterval(() => socket.ping(), streaming.readers.heartbeatMs).unref();
    socket.on("message", (data, isBinary) => this.#take(data, isBinary));
    socket.once("close", () => this.#end());
    this.#send().catch(host.agent.onDefect);
  }

  #wants(frame: Frame): boolean {
    for (const subscription of this.#subscriptions.values()) if (matches(subscription, frame)) return true;
    return false;
  }

  /** Sends what waits for the client, as fast as it reads, until the thread's events end. */
  async #send(): Promise<void> {
    for (let texts = await this.#reader.next(); texts; texts = await this.#reader.next()) {
      for (const text of texts.slice(0, -1)) this.#socket.send(text);
      await new Promise<void>((resolve) => this.#socket.send(texts.at(-1) as string, () => resolve()));
      if (this.#reader.lag < maxWaiting) this.#hasRoom();
    }
    if (this.#streaming.events.isClosed) this.#socket.close(closeCodes.goingAway, "The server is closing");
    else this.#socket.close(closeCodes.deleted, "The thread was deleted");
  }

  /** Closes a connection whose client doesn't read, so that it may never get what is sent. */
  #cut(message: string): string {
    const text = errorText(message);
    this.#socket.send(text);
    this.#socket.close(closeCodes.lagging, "The client lags too far behind");
    return text;
  }

  #take(data: RawData, isBinary: boolean): void {
    if (isBinary) {
      this.#socket.close(closeCodes.unsupportedData, "Commands are text");
      return;
    }
    this.#waiting.push(String(data));
    if (!this.#isExecuting) this.#executeWaiting().catch(this.#host.agent.onDefect);
  }

  /**
   * Executes commands one at a time. The next ones stay in the connection, which bounds what a client can make the
   * server hold.
   */
  async #executeWaiting(): Promise<void> {
    this.#isExecuting = true;
    this.#socket.pause();
    for (let text = this.#waiting.shift(); text !== undefined; text = this.#waiting.shift()) {
      if (this.#reader.hasEnded) break;
      await this.#execute(text);
      if (this.#reader.lag >= maxWaiting) await this.#room();
      if (this.#waiting.length > 0) continue;
      // Whatever the client has sent in the same breath.
      this.#socket.resume();
      await setImmediate();
      this.#socket.pause();
    }
    this.#begin();
    this.#isExecuting = false;
    this.#socket.resume();
  }

  async #execute(text: string): Promise<void> {
    const command = commandIn(text);
    if (!("type" in command) && command.method !== "subscription.subscribe") this.#begin();
    const response =
      "type" in command
        ? command
        : await execute(this.#host, this.#threadId, command, { events: this.#streaming.events, own: this.#handlers });
    this.#reader.say(JSON.stringify(response));
  }

  async #room(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#hasRoom = resolve;
    });
  }

  /**
   * Sends the events from before new subscriptions: after the responses, from which the client learns of its
   * subscriptions, for all of them together, and before any later event, which the client would give to them as well.
   */
  #begin(): void {
    if (this.#fresh.size === 0) return;
    this.#lastSubscribed = performance.now();
    const fresh = [...this.#fresh.values()];
    const earlier = this.#streaming.events.kept(this.#threadId);
    for (const frame of earlier) {
      const isHeldUp = frame.number > this.#lastBefore && this.#wants(frame);
      if (isHeldUp || fresh.some((one) => matches(one, frame))) this.#reader.replay(frame);
    }
    for (const [id, subscription] of this.#fresh) this.#subscriptions.set(id, subscription);
    this.#fresh.clear();
  }

  readonly #handlers: Record<string, CommandHandler> = {
    "subscription.subscribe": async (_host, _thread, params) => this.#subscribe(params),
    "subscription.unsubscribe": async (_host, _thread, params) => this.#unsubscribe(params),
  };

  #subscribe(params: unknown): Fields {
    const wanted = validParams(subscriptionSchema, params);
    if (this.#subscriptions.size + this.#fresh.size >= maxSubscriptions) {
      throw new CommandError("invalid_argument", `A connection has at most ${maxSubscriptions} subscriptions.`);
    }
    const id = this.#streaming.newId();
    const kept = this.#streaming.events.kept(this.#threadId);
    const lastNumber = this.#streaming.events.lastNumber(this.#threadId);
    const subscription = withKnownSince(wanted, lastNumber);
    if (this.#fresh.size === 0) this.#lastBefore = lastNumber;
    this.#fresh.set(id, subscription);
    const earlier = kept.filter((frame) => matches(subscription, frame));
    return { subscription_id: id, replayed_events: earlier.length };
  }

  #unsubscribe(params: unknown): Fields {
    const { subscription_id: id } = validParams(subscriptionUnsubscribe, params);
    if (this.#subscriptions.delete(id)) return {};
    throw new CommandError("no_such_subscription", `This connection has no subscription ${id}.`);
  }

  #end(): void {
    clearInterval(this.#keepAlive);
    this.#subscriptions.clear();
    this.#fresh.clear();
    this.#waiting = [];
    this.#reader.cancel();
    this.#hasRoom();
  }
}
