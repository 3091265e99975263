import { Agent, request } from "node:http";

/** The result of one stream. Times are in milliseconds since the request. */
export interface StreamResult {
  isComplete: boolean;
  firstEvent: number;
  lastEvent: number;
}

const eventName = Buffer.from("event: custom");
const agent = new Agent({ keepAlive: false });

/** Starts a run of `graph` that sends `count` custom events, and reads them all. */
export function readStream(port: number, graph: string, count: number): Promise<StreamResult> {
  const body = JSON.stringify({ assistant_id: graph, input: { n: count }, stream_mode: ["custom"] });
  const headers = {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    "x-api-key": "bench",
  };
  return new Promise((resolve, reject) => {
    const began = performance.now();
    let events = 0;
    let firstEvent = Number.NaN;
    let lastEvent = Number.NaN;
    let rest: Buffer = Buffer.alloc(0);
    const sent = request(
      { host: "127.0.0.1", port, path: "/runs/stream", method: "POST", agent, headers },
      (response) => {
        response.on("data", (piece: Buffer) => {
          const text = rest.length > 0 ? Buffer.concat([rest, piece]) : piece;
          const found = occurrences(text);
          // A chunk may end in the middle of a name.
          rest = text.subarray(Math.max(found.end, text.length - eventName.length + 1));
          if (found.count === 0) return;
          lastEvent = performance.now() - began;
          if (events === 0) firstEvent = lastEvent;
          events += found.count;
        });
        response.on("end", () => resolve({ isComplete: events === count, firstEvent, lastEvent }));
        response.on("error", reject);
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}

function occurrences(text: Buffer): { count: number; end: number } {
  let count = 0;
  let end = 0;
  for (let at = text.indexOf(eventName); at >= 0; at = text.indexOf(eventName, end)) {
    end = at + eventName.length;
    count++;
  }
  return { count, end };
}

/** The result of many concurrent streams. */
export interface StreamsResult {
  complete: number;
  seconds: number;
  /** Time to the first event, in milliseconds. */
  medianFirstEvent: number;
}

/** Reads `streams` streams concurrently, each with `count` events. */
export async function readStreams(port: number, graph: string, streams: number, count: number): Promise<StreamsResult> {
  const began = performance.now();
  const results = await Promise.allSettled(Array.from({ length: streams }, () => readStream(port, graph, count)));
  const seconds = (performance.now() - began) / 1000;
  const complete = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  return {
    complete: complete.filter(({ isComplete }) => isComplete).length,
    seconds,
    medianFirstEvent: median(complete.map(({ firstEvent }) => firstEvent)),
  };
}

export function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}
