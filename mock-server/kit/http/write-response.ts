import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type HttpResponse, isBodiless, serialized } from "./http-response.ts";

/** Headers that only the writer of a response sets. */
const framing = ["content-length", "transfer-encoding"];

/**
 * Writes a response. A stream is written at the pace of the client, and cancelled when the client disconnects.
 * @throws {TypeError} for invalid headers and for a body that can't be JSON; then nothing has been written.
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
  // An app responds to HEAD without the body, whose length only it knows.
  const isUnknown = isStream || (payload === undefined && outgoing.req.method === "HEAD");
  const length = response.disruption ? response.disruption.length : isUnknown ? undefined : lengthOf(payload);
  const headers: Record<string, string | readonly string[]> = { ...given };
  for (const name of framing) if (!(isUnknown && !isStream && name === "content-length")) delete headers[name];
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
    // Tells the client at once that the stream has started.
    outgoing.flushHeaders();
    const source = Readable.fromWeb(payload as Parameters<typeof Readable.fromWeb>[0]);
    // Runs before the pipeline closes the connection in an orderly way.
    source.once("error", () => breakOff(outgoing));
    await pipeline(source, outgoing).catch(() => undefined);
  }
}

/** Closes the connection in the middle of a response, visibly incomplete. */
function breakOff({ socket, req }: ServerResponse): void {
  // In HTTP/1.0 the end of the connection ends the body, so an orderly end would make it look complete.
  if (req.httpVersion === "1.0") socket?.resetAndDestroy();
  else socket?.destroySoon();
}

function lengthOf(payload: string | Uint8Array | undefined): number {
  if (payload === undefined) return 0;
  return typeof payload === "string" ? Buffer.byteLength(payload) : payload.byteLength;
}
