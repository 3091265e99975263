import { isHeaderName, isHeaderValue } from "./message-grammar.ts";
import { reasonPhrase } from "./reason-phrase.ts";

/** How long a connection that waits for its next request is promised to be kept, in seconds. */
export const keptSeconds = 5;

/** The end of the last head, which stays the same for a second. */
let second = 0;
let keptEnd = "";
let closedEnd = "";

/**
 * The head of an answer, to be sent as ISO 8859-1.
 * @param lines Names, in lower case, and values in turn.
 * @throws {TypeError} for headers that can't be sent.
 */
export function answerHead(status: number, lines: readonly string[], isKept: boolean): string {
  let text = `HTTP/1.1 ${status} ${reasonPhrase(status)}\r\n`;
  let isDated = false;
  for (let index = 0; index + 1 < lines.length; index += 2) {
    const name = lines[index] as string;
    const value = lines[index + 1] as string;
    // The connection is this layer's own affair.
    if (name === "connection" || name === "keep-alive") continue;
    if (name === "date") isDated = true;
    if (!isKnownName(name) || !isHeaderValue(value)) throw new TypeError(`The header ${name} can't be sent.`);
    text += `${name}: ${value}\r\n`;
  }
  if (isDated) return text + connectionLines(isKept);
  return text + datedEnd(isKept);
}

/** Names that headers can have, as far as they were asked for: servers send few different ones. */
const knownNames = new Set<string>();
const mostKnownNames = 100;

function isKnownName(name: string): boolean {
  if (knownNames.has(name)) return true;
  if (!isHeaderName(name)) return false;
  if (knownNames.size < mostKnownNames) knownNames.add(name);
  return true;
}

function datedEnd(isKept: boolean): string {
  const now = Math.floor(Date.now() / 1000);
  if (now !== second) {
    second = now;
    const date = `date: ${new Date(now * 1000).toUTCString()}\r\n`;
    keptEnd = date + connectionLines(true);
    closedEnd = date + connectionLines(false);
  }
  return isKept ? keptEnd : closedEnd;
}

function connectionLines(isKept: boolean): string {
  return isKept ? `connection: keep-alive\r\nkeep-alive: timeout=${keptSeconds}\r\n\r\n` : "connection: close\r\n\r\n";
}
