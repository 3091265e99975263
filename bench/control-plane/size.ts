import { startMockServer } from "../../mock-server/server.ts";
import { load, requestText } from "./load.ts";

/**
 * What operations cost with 10 deployments and with 10,000 of ten revisions each: `node bench/control-plane/size.ts`. Median time of one request
 * on one connection, in microseconds, the better of three rounds.
 */
interface Store {
  port: number;
  operations: Record<string, (number: number) => string>;
  close(): Promise<void>;
}

async function filled(deployments: number): Promise<Store> {
  const mock = await startMockServer({ port: 0, transitions: "immediate" });
  const { port: portText, host } = new URL(mock.url);
  const port = Number(portText);
  const made = await mock.seed({ deployments: [{ name: "agent-{n}", source: "internal_source", count: deployments }] });
  const ids = made.deployments;
  const revisions = (number: number) => `/v2/deployments/${ids[number % ids.length]?.id}/revisions`;
  await load(port, 16, (number) => requestText("POST", revisions(number), host, "{}"), 600_000, deployments * 9);
  const one = ids[Math.floor(ids.length / 2)];
  const path = `/v2/deployments/${one?.id}`;
  let creations = 0;
  return {
    port,
    operations: {
      "list page": () => requestText("GET", "/v2/deployments", host),
      "list by exact name": () => requestText("GET", `/v2/deployments?name=${one?.name}`, host),
      "get deployment": () => requestText("GET", path, host),
      "list revisions": () => requestText("GET", `${path}/revisions`, host),
      "get revision": () => requestText("GET", `${path}/revisions/${one?.latest_revision_id}`, host),
      "patch without a revision": () => requestText("PATCH", path, host, '{"display_name":"x"}'),
      create: () => {
        const body = {
          name: `new-${creations++}`,
          source: "internal_source",
          source_config: {},
          source_revision_config: {},
          secrets: [],
        };
        return requestText("POST", "/v2/deployments", host, JSON.stringify(body));
      },
    },
    close: () => mock.close(),
  };
}

const stores = [await filled(10), await filled(10_000)] as const;
const times = new Map<string, [number, number]>();
for (let round = 0; round < 3; round++) {
  for (const [index, { port, operations }] of stores.entries()) {
    for (const [name, text] of Object.entries(operations)) {
      await load(port, 1, text, 60_000, 200);
      const { medianMicroseconds, failures } = await load(port, 1, text, 60_000, 1000);
      if (failures > 0) process.stderr.write(`${name}: ${failures} failures\n`);
      const known = times.get(name) ?? [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
      known[index] = Math.min(known[index] as number, medianMicroseconds);
      times.set(name, known);
    }
  }
}
const lines = [...times].map(
  ([name, [small, large]]) =>
    `| ${name} | ${Math.round(small)} | ${Math.round(large)} | ${(large / small).toFixed(2)} |`,
);
process.stdout.write(
  ["| operation | 10 deployments | 10,000 deployments | factor |", "|---|---|---|---|", ...lines, ""].join("\n"),
);
await Promise.all(stores.map((store) => store.close()));
