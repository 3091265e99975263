import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type HttpResponse, isBodiless, serialized } from "./http-response.ts";

/** Headers that only the writer of a response can know. */
const framing = ["content-length", "transfer-encoding"];

/**
 * Writes a response. A stream is written as its reader keeps up, and cancelled when the client disconnects.
 * @throws {TypeError} for headers that can't be sent, and for a body that isn't JSON: then nothing was written.
 */
export async function writeResponse(outgoing: ServerResponse, response: HttpResponse): Promise<void> {
  const { socket } = outgoing;
  if (response.disruption?.kind === "reset") {
    socket?.resetAndDestroy();
    return;
  }
  const { status, headers: given, content, json } = serialized(response);
  const payload = json ?? content;
  const hasBody = outgoing.req.method !== "HEAD" && !isBodiless(status);
  const isStream = payload instanceof ReadableStream;
  const length = response.disruption ? response.disruption.length : isStream ? undefined : lengthOf(payload);
  const headers: Record<string, string | readonly string[]> = { ...given };
  for (const name of framing) delete headers[name];
  if (length !== undefined && !isBodiless(status)) headers["content-length"] = String(length);
  try {
    outgoing.writeHead(status, headers as OutgoingHttpHeaders);
  } catch (error) {
    if (isStream) void payload.cancel().catch(() => undefined);
    throw error;
  }
  if (response.disruption) {
    if (hasBody) outgoing.write(payload as Uint8Array, () => breakOff(outgoing));
    else outgoing.end(() => breakOff(outgoing));
  } else if (!isStream) {
    outgoing.end(hasBody ? payload : undefined);
  } else if (!hasBody) {
    void payload.cancel().catch(() => undefined);
    outgoing.end();
  } else {
    // The client learns at once that the stream has begun.
    outgoing.flushHeaders();
    const source = Readable.fromWeb(payload as Parameters<typeof Readable.fromWeb>[0]);
    // Before the pipeline closes the connection in its own way.
    source.once("error", () => breakOff(outgoing));
    await pipeline(source, outgoing).catch(() => undefined);
  }
}

/** Closes the connection in the middle of a response. */
function breakOff({ socket, req }: ServerResponse): void {
  // Where only the end of the connection ends the body, an orderly one would say that it is complete.
  if (req.httpVersion === "1.0") socket?.resetAndDestroy();
  else socket?.destroySoon();
}

function lengthOf(payload: string | Uint8Array | undefined): number {
  if (payload === undefined) return 0;
  return typeof payload === "string" ? Buffer.byteLength(payload) : payload.byteLength;
}
