import { isUtf8 } from "node:buffer";
import { HttpError } from "../http-error.ts";
import type { Exchange } from "./exchange.ts";

/** Largest body that is accepted unless another limit is given: 1 MiB. */
const usualLimitBytes = 1024 * 1024;

/**
 * The body of a request as text, read once and kept for the journal; at once where it has come already.
 * @throws {HttpError} 413 when it is over the limit, by default 1 MiB, 400 when it is no UTF-8; {ClientGone} when it never comes to its end.
 */
export function readText(exchange: Exchange, limitBytes = usualLimitBytes): string | Promise<string> {
  if (exchange.requestText !== undefined) return exchange.requestText;
  const bytes = exchange.body.read(limitBytes);
  return bytes instanceof Promise ? bytes.then((all) => keepText(exchange, all)) : keepText(exchange, bytes);
}

function keepText(exchange: Exchange, bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new HttpError(400, "The body is not valid UTF-8.");
  const text = bytes.toString("utf8");
  exchange.requestText = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  return exchange.requestText;
}
