import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { HttpError } from "../http-error.ts";
import type { Exchange } from "./exchange.ts";

/** Largest body that is accepted unless another limit is given: 1 MiB. */
const usualLimitBytes = 1024 * 1024;

/** The client has hung up, so there is nobody to answer. */
export class ClientGone extends Error {
  constructor() {
    super("The client has hung up before its request was complete.");
  }
}

/**
 * The body of a request as text, read once and kept for the journal.
 * @throws {HttpError} 413 when it is over the limit, by default 1 MiB, 400 when it is no UTF-8; {ClientGone} when it never comes to its end.
 */
export async function readText(exchange: Exchange, limitBytes = usualLimitBytes): Promise<string> {
  if (exchange.requestText !== undefined) return exchange.requestText;
  const bytes = await readBytes(exchange.incoming, limitBytes);
  if (!isUtf8(bytes)) throw new HttpError(400, "The body is not valid UTF-8.");
  const text = bytes.toString("utf8");
  exchange.requestText = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  return exchange.requestText;
}

/**
 * The body of a request.
 * @throws {HttpError} 413 when it is over the limit; {ClientGone} when it never comes to its end.
 */
export function readBytes(
  incoming: IncomingMessage,
  limitBytes: number,
  tooLarge = `The request body is larger than ${limitBytes} bytes.`,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // The rest of the body is never read, so the connection can't be used again.
    const refuse = () => reject(new HttpError(413, tooLarge, { connection: "close" }));
    if (Number(incoming.headers["content-length"]) > limitBytes) return refuse();
    if (incoming.destroyed) return reject(new ClientGone());
    const chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limitBytes) return void chunks.push(chunk);
      incoming.off("data", onData);
      refuse();
    };
    incoming.on("data", onData);
    incoming.once("end", () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    incoming.once("close", () => {
      if (!incoming.complete) reject(new ClientGone());
    });
    incoming.once("error", () => reject(new ClientGone()));
  });
}

/** How much of a body that nobody wants is read before the connection is closed, and for how long: 64 MiB, 500 ms. */
const mostDrainedBytes = 64 * 1024 * 1024;
const longestDrain = 500;

/** Reads the rest of a body that was refused, within bounds: a client that is still sending would miss the answer if the connection were closed at once. */
export function drain(incoming: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(finish, longestDrain);
    let size = 0;
    incoming.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > mostDrainedBytes) finish();
    });
    incoming.once("close", finish);
    incoming.once("end", finish);
    incoming.resume();
  });
}
