import type { RawData, WebSocket } from "ws";
import type { Frame, LogReader } from "../../kit/log-reader.ts";
import type { Fields } from "../engine/contract.ts";
import type { ProtocolHost } from "../protocol-host.ts";
import { CommandError } from "./command-error.ts";
import { subscriptionUnsubscribe } from "./command-schemas.ts";
import { type CommandHandler, commandIn, execute, validParams } from "./commands.ts";
import { type EventStreaming, errorText } from "./event-streaming.ts";
import { matches, type Subscription, subscriptionSchema } from "./subscription.ts";

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
  #commands: Promise<unknown> = Promise.resolve();
  /** Called when commands may be read again. */
  #hasRoom = () => {};
  /** What follows the response to a command. */
  #afterResponse = () => {};

  /** Takes over a socket that has been accepted. @throws {HttpError} 404 for a thread that is hidden from the caller. */
  constructor(socket: WebSocket, host: ProtocolHost, streaming: EventStreaming, threadId: string) {
    this.#socket = socket;
    this.#host = host;
    this.#streaming = streaming;
    this.#threadId = threadId;
    this.#reader = streaming.open(threadId, {
      accepts: (frame) => this.#wants(frame),
      renderError: (message) => this.#cut(message),
    });
    this.#keepAlive = setInterval(() => socket.ping(), streaming.heartbeatMs).unref();
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
    // One command at a time: the next ones stay in the connection, which bounds what a client can make the server hold.
    this.#socket.pause();
    this.#commands = this.#commands.then(() => this.#execute(String(data))).finally(() => this.#socket.resume());
  }

  async #execute(text: string): Promise<void> {
    if (this.#reader.hasEnded) return;
    const command = commandIn(text);
    const response =
      "type" in command
        ? command
        : await execute(this.#host, this.#threadId, command, { events: this.#streaming.events, own: this.#handlers });
    this.#reader.say(JSON.stringify(response));
    this.#afterResponse();
    this.#afterResponse = () => {};
    if (this.#reader.lag < maxWaiting) return;
    await new Promise<void>((resolve) => {
      this.#hasRoom = resolve;
    });
  }

  readonly #handlers: Record<string, CommandHandler> = {
    "subscription.subscribe": async (_host, _thread, params) => this.#subscribe(params),
    "subscription.unsubscribe": async (_host, _thread, params) => this.#unsubscribe(params),
  };

  #subscribe(params: unknown): Fields {
    const subscription = validParams(subscriptionSchema, params);
    if (this.#subscriptions.size >= maxSubscriptions) {
      throw new CommandError("invalid_argument", `A connection has at most ${maxSubscriptions} subscriptions.`);
    }
    const id = this.#streaming.newId();
    const earlier = () => this.#streaming.events.kept(this.#threadId).filter((frame) => matches(subscription, frame));
    // In one go, so that no event comes between the earlier ones and those from now on.
    this.#afterResponse = () => {
      for (const frame of earlier()) this.#reader.replay(frame);
      this.#subscriptions.set(id, subscription);
    };
    return { subscription_id: id, replayed_events: earlier().length };
  }

  #unsubscribe(params: unknown): Fields {
    const { subscription_id: id } = validParams(subscriptionUnsubscribe, params);
    if (this.#subscriptions.delete(id)) return {};
    throw new CommandError("no_such_subscription", `This connection has no subscription ${id}.`);
  }

  #end(): void {
    clearInterval(this.#keepAlive);
    this.#subscriptions.clear();
    this.#reader.cancel();
    this.#hasRoom();
  }
}
