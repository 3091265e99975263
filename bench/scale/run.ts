import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { startMockServer } from "../../mock-server/server.ts";
import { createPulumiProject } from "../../test/kit/pulumi/cli.ts";
import { pulumiCli } from "../../test/kit/pulumi/command-line.ts";
import { manyDeployments } from "../../test/kit/pulumi/program.ts";
import { storedDeployments } from "../../test/kit/stored.ts";

const deployments = 100;

interface Measurement {
  name: string;
  rolloutSeconds: number;
  seconds: number;
  /** From the start of the command until the platform has the first deployment. */
  secondsBefore: number;
  deployed: number;
  writes: number;
  reads: number;
  rejected: number;
}

/** Runs one `pulumi up` that creates all deployments, each with a rollout of `rolloutSeconds`. */
async function measure(
  cli: string,
  name: string,
  rolloutSeconds: number,
  requestsPerSecond?: number,
): Promise<Measurement> {
  await using mock = await startMockServer({ port: 0, transitions: `time:${rolloutSeconds}s` });
  // Fault rules with probability zero count the requests that match them; unlike the journal, they have no size limit.
  const never = { probability: 0, effect: { latency: 0 } } as const;
  mock.faults.add(
    { ...never, id: "reads", match: { method: "GET", path: "/v2/*" } },
    { ...never, id: "writes", match: { method: "POST", path: "/v2/*" } },
  );
  if (requestsPerSecond !== undefined) {
    mock.faults.add({ id: "limit", match: { path: "/v2/*" }, effect: { rateLimit: { requests: requestsPerSecond } } });
  }
  await using project = await createPulumiProject({
    cli,
    kind: "commonjs",
    program: manyDeployments(deployments),
    environment: { GRAPHDEPLOY_BASE_URL: mock.url, GRAPHDEPLOY_API_KEY: "key-of-the-bench" },
  });
  const startedAt = Date.now();
  const up = await project.up("--parallel", String(deployments));
  const seconds = (Date.now() - startedAt) / 1_000;
  if (up.code !== 0) throw new Error(`pulumi up failed:\n${up.stdout}${up.stderr}`);
  const rules = new Map(mock.faults.list().map((rule) => [rule.id, rule]));
  const { resources = [] } = (await project.exportStack()).deployment;
  const firstAt = Math.min(...(await storedDeployments(mock)).map(({ createdAt }) => createdAt));
  return {
    name,
    rolloutSeconds,
    seconds,
    secondsBefore: (firstAt - startedAt) / 1_000,
    deployed: resources.filter(({ outputs }) => outputs?.revisionStatus === "DEPLOYED").length,
    writes: rules.get("writes")?.matched ?? 0,
    reads: rules.get("reads")?.matched ?? 0,
    rejected: rules.get("limit")?.happened ?? 0,
  };
}

const { path: cli, reason } = await pulumiCli();
if (cli === undefined) throw new Error(`No Pulumi CLI: ${reason}`);
const measurements = [
  await measure(cli, "no limit", 60),
  // At this rate, four requests for each deployment take 20 s, which is too large a share of a minute.
  await measure(cli, "20 requests a second, else 429 with Retry-After", 60, 20),
  await measure(cli, "20 requests a second, else 429 with Retry-After", 240, 20),
];
const rows = measurements.map(({ name, rolloutSeconds, seconds, secondsBefore, deployed, writes, reads, rejected }) => {
  const over = (time: number) => `${((time / rolloutSeconds - 1) * 100).toFixed(1)} %`;
  return `| ${name} | ${rolloutSeconds} s | ${deployed} | ${seconds.toFixed(1)} s | ${over(seconds)} | ${secondsBefore.toFixed(1)} s | ${over(seconds - secondsBefore)} | ${writes} | ${reads} (${(reads / deployments).toFixed(1)}) | ${rejected} |`;
});
const results = `# Scale: ${deployments} deployments in one \`pulumi up\`

Every deployment rolls out on the mock server for the time named, all in one stack, with \`--parallel ${deployments}\` and the real CLI. The time is the whole
command's, and "over" what it takes beyond one rollout; "before" is the part until the platform has the first deployment: the CLI's own start, and
that of the program and the provider. Writes and reads count every attempt, the rejected ones too; in brackets per deployment. With the
limit, its rate is the bound: the four requests that each deployment needs, beside its polls, take 20 s of it.

Command: \`node bench/scale/run.ts\`. Machine: ${cpus().length} cores, Linux x64, Node.js ${process.versions.node.split(".")[0]}.

| server | rollout | DEPLOYED | time | over | before | over without it | writes | reads | 429 responses |
|---|---|---|---|---|---|---|---|---|---|
${rows.join("\n")}
`;
writeFileSync(fileURLToPath(new URL("results.md", import.meta.url)), results);
process.stdout.write(results);
