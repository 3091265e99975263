import { type LoadResult, load, requestText } from "../control-plane/load.ts";
import type { Sample } from "../node-http.ts";
import type { ServerKind } from "./servers.ts";
import { median, readStream, readStreams } from "./streams.ts";

/** One measurement of a server. */
export interface Row {
  name: string;
  unit: string;
  /** Which of two rounds the table shows. */
  better: "higher" | "lower";
  measure(port: number, graphs: ServerKind["graphs"]): Promise<number>;
}

const connectionCounts = [1, 32] as const;

function requests(path: string, body: object, connections: number, milliseconds: number) {
  return async (port: number): Promise<LoadResult> => {
    const text = requestText("POST", path, `127.0.0.1:${port}`, JSON.stringify(body));
    await load(port, connections, () => text, milliseconds / 2);
    const result = await load(port, connections, () => text, milliseconds);
    if (result.failures > 0) throw new Error(`POST ${path}: ${result.failures} of ${result.requests} failed.`);
    return result;
  };
}

function rateRows(name: string, path: string, body: object): Row[] {
  return connectionCounts.map((connections) => ({
    name: `${name}, ${connections} at once`,
    unit: "requests/s",
    better: "higher",
    async measure(port) {
      const { requests: count, seconds } = await requests(path, body, connections, 2000)(port);
      return count / seconds;
    },
  }));
}

const waitRows: Row[] = connectionCounts.map((connections) => ({
  name: `POST /runs/wait, ${connections} at once`,
  unit: "ms, median",
  better: "lower",
  async measure(port, { trivial, input }) {
    const body = { assistant_id: trivial, input };
    // Long enough for a dozen responses from a server that takes half a second for each.
    const result = await requests("/runs/wait", body, connections, 6000)(port);
    return result.medianMicroseconds / 1000;
  },
}));

function eventsRow(count: number, repeats: number): Row {
  return {
    name: `one stream of ${count.toLocaleString("en")} events`,
    unit: "events/s",
    better: "higher",
    async measure(port, { burst }) {
      const rates: number[] = [];
      for (let repeat = -1; repeat < repeats; repeat++) {
        const { isComplete, lastEvent } = await readStream(port, burst, count);
        if (!isComplete) throw new Error(`A stream of ${count} events ended before its end.`);
        if (repeat >= 0) rates.push(count / (lastEvent / 1000));
      }
      return median(rates);
    },
  };
}

const parallelRow: Row = {
  name: "8 streams at once of 1,000 events",
  unit: "events/s",
  better: "higher",
  async measure(port, { burst }) {
    const { complete, seconds } = await readStreams(port, burst, 8, 1000);
    if (complete < 8) throw new Error(`Only ${complete} of 8 streams were complete.`);
    return 8000 / seconds;
  },
};

function streamsRow(streams: number): Row {
  return {
    name: `${streams.toLocaleString("en")} streams at once of 20 events`,
    unit: "s",
    better: "lower",
    async measure(port, { burst }) {
      const { complete, seconds } = await readStreams(port, burst, streams, 20);
      if (complete < streams) throw new Error(`Only ${complete} of ${streams} streams were complete.`);
      return seconds;
    },
  };
}

export const manyStreams = streamsRow(200);

const searchBody = { limit: 10, offset: 0 };
const threadBody = { metadata: { bench: 1 } };

/** Small requests, which are also measured against bare `node:http`. */
export const smallRequests: readonly Row[] = [
  ...rateRows("POST /assistants/search", "/assistants/search", searchBody),
  ...rateRows("POST /threads", "/threads", threadBody),
];

/** A server's responses to the small requests. */
export async function takeSamples(port: number): Promise<Sample[]> {
  const responseTo = async (path: string, body: object) => {
    const headers = { "content-type": "application/json" };
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    return response.json();
  };
  const [search, thread] = ["/assistants/search", "/threads"];
  return [
    { method: "POST", path: search, isWrite: false, objects: (await responseTo(search, searchBody)) as unknown[] },
    { method: "POST", path: thread, isWrite: true, objects: [await responseTo(thread, threadBody)] },
  ];
}

/** All measurements of a running server. */
export const rows: readonly Row[] = [
  ...smallRequests,
  ...waitRows,
  eventsRow(1000, 10),
  eventsRow(20_000, 3),
  parallelRow,
  manyStreams,
  streamsRow(1000),
];
