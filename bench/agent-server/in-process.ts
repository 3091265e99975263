import { burst, trivial } from "./project/graphs.ts";

/**
 * Measures the library without a server; prints the median milliseconds of `invoke`, and events per second of `stream`
 * as text of server-sent events.
 */
const times: number[] = [];
for (let run = 0; run < 1500; run++) {
  const began = performance.now();
  await trivial.invoke({ value: "a" });
  if (run >= 500) times.push(performance.now() - began);
}
times.sort((a, b) => a - b);

const count = 20_000;
const rates: number[] = [];
for (let run = 0; run < 3; run++) {
  const began = performance.now();
  let size = 0;
  for await (const data of await burst.stream({ n: count }, { streamMode: "custom" })) {
    size += `event: custom\ndata: ${JSON.stringify(data)}\n\n`.length;
  }
  if (size > 0) rates.push(count / ((performance.now() - began) / 1000));
}
process.stdout.write(JSON.stringify({ invoke: times[times.length >> 1], rate: Math.max(...rates) }));
