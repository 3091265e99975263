import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { models, restShares } from "./models.ts";
import { plotDelays } from "./plot.ts";
import { policies, simulate } from "./simulate.ts";

const rollouts = 1_000;
const seed = 1;

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;

const tables = models.map((model) => {
  const summaries = Object.entries(policies).map(([name, policy]) => ({
    name,
    ...simulate(model, policy, { rollouts, seed }),
  }));
  const everySecond = summaries.find(({ name }) => name === "every 1 s");
  const rows = summaries.map(({ name, meanDelayMs, p95DelayMs, requestsPer10Minutes, requests }) => {
    const share = `${((requests / (everySecond?.requests ?? requests)) * 100).toFixed(1)} %`;
    return `| ${name} | ${seconds(meanDelayMs)} | ${seconds(p95DelayMs)} | ${requestsPer10Minutes.toFixed(1)} | ${share} |`;
  });
  return { model, summaries, rows };
});

const shares = Object.entries(restShares)
  .map(([status, share]) => `${status} ${share * 100} %`)
  .join(", ");
const results = `# Polling: delay against requests

A simulation of ${rollouts.toLocaleString("en")} seeded rollouts of 20 s to 30 min (log-uniform), each followed from its beginning under
four policies. "Delay" is the time from DEPLOYED until a client notices; responses take no time. DEPLOYING takes a share drawn uniformly from
the bounds of the model; the rest is split as ${shares}.

Command: \`node bench/polling/run.ts\`. Machine: 2 cores, Linux x64, Node.js 24 (the numbers depend on the seed alone).

${tables
  .map(
    ({ model, rows }) => `## Model: ${model.name}

| policy | mean delay | p95 delay | requests per 10 min of rollout | of the requests of 1 s |
|---|---|---|---|---|
${rows.join("\n")}
`,
  )
  .join("\n")}
![Mean delay over the length of the rollout](../../docs/images/polling.svg)
`;

const [first] = tables;
const image = fileURLToPath(new URL("../../docs/images/polling.svg", import.meta.url));
mkdirSync(fileURLToPath(new URL("../../docs/images", import.meta.url)), { recursive: true });
writeFileSync(
  image,
  plotDelays("Mean delay until DEPLOYED is noticed, by length of the rollout", first?.summaries ?? []),
);
writeFileSync(new URL("results.md", import.meta.url), results);
console.log(results);
