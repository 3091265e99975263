// Measures the size of the bundle and the time until it reports an invalid input, compared with a bundle of only
// @actions/core and @actions/github. Arguments add bundles of other actions, as name=file or name=folder; INPUT_*
// variables hold the inputs that those need to reach a validation error.
import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { actionBundle, bundle } from "../../scripts/build-action.ts";
import { checkout } from "../../scripts/run-command.ts";

const rounds = 40;

/** Inputs for other actions. Those of this Action and of the baseline override them. */
const given = Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith("INPUT_")));

interface Contestant {
  name: string;
  file: string;
}

/**
 * Milliseconds from the start of the process to its end. With an invalid input, that end is the first validation error.
 */
function timeOf(file: string): number {
  const env = {
    ...given,
    PATH: process.env.PATH,
    HOME: tmpdir(),
    GITHUB_ACTIONS: "true",
    GITHUB_OUTPUT: "",
    "INPUT_API-KEY": "key",
    INPUT_NAME: "",
  };
  const startedAt = performance.now();
  spawnSync(process.execPath, [file], { env, cwd: tmpdir() });
  return performance.now() - startedAt;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

const folder = await mkdtemp(join(tmpdir(), "graphdeploy-bench-"));
try {
  const baseline = join(folder, "baseline");
  await bundle(join(checkout, "bench", "action", "baseline.ts"), baseline);
  const empty = join(folder, "empty.js");
  await writeFile(empty, "");
  const peers = process.argv.slice(2).map((argument): Contestant => {
    const [name = "", path = ""] = argument.includes("=") ? argument.split("=", 2) : [basename(argument), argument];
    return { name, file: /\.m?js$/.test(path) ? path : join(path, "index.js") };
  });
  const contestants: Contestant[] = [
    { name: "graphdeploy", file: join(actionBundle, "index.js") },
    { name: "@actions/core + @actions/github alone", file: join(baseline, "index.js") },
    { name: "Node.js itself", file: empty },
    ...peers,
  ];
  const times = new Map(contestants.map(({ name }) => [name, [] as number[]]));
  // Interleaved, so that a slow phase of the machine affects every bundle.
  for (let round = 0; round < rounds; round += 1)
    for (const { name, file } of contestants) times.get(name)?.push(timeOf(file));

  const rows: string[] = [];
  for (const { name, file } of contestants) {
    const kib = file === empty ? "–" : `${((await stat(file)).size / 1024).toFixed(0)} KiB`;
    const measured = times.get(name) ?? [];
    rows.push(`| ${name} | ${kib} | ${median(measured).toFixed(0)} ms | ${Math.min(...measured).toFixed(0)} ms |`);
  }
  const [own = [], toolkit = []] = [times.get("graphdeploy"), times.get("@actions/core + @actions/github alone")];
  const ratio = (median(own) / median(toolkit) - 1) * 100;
  const version = JSON.parse(await readFile(join(checkout, "package.json"), "utf8")).version;
  const inputs = Object.entries(given).map(([name, value]) => `${name}=${value} `);
  const command = `${inputs.join("")}node bench/action/run.ts${peers.length === 0 ? "" : " <name>=<file of its bundle> …"}`;
  const results = `# The action's bundle: size and start

graphdeploy ${version}. Size of \`dist/index.js\`, and time from the start of the process to its end with an empty \`name\`: the first validation
error. The second bundle holds @actions/core and @actions/github alone and is made in the same run with the same options. ${rounds} rounds by
turns. Under them, where they are given, published bundles of other deploy actions: how long each takes to its first message about inputs that
are missing or wrong. So that the bundler may leave out what nobody uses, both bundles declare that @actions/core has no side effects when it
is loaded; ours loads undici and @actions/github only once the inputs are right.

Command: \`${command}\`. Machine: ${cpus().length} cores, ${process.platform} ${process.arch}, Node.js ${process.versions.node}.

| bundle | size | median | fastest |
|---|---|---|---|
${rows.join("\n")}

Start against core and github alone: ${ratio >= 0 ? "+" : ""}${ratio.toFixed(0)} %.
`;
  await writeFile(join(import.meta.dirname, "results.md"), results);
  process.stdout.write(results);
} finally {
  await rm(folder, { recursive: true, force: true });
}
