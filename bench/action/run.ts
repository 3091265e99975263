// Size of the bundle, and time until it reports a wrong input, beside a bundle of @actions/core and @actions/github alone.
// Folders of other actions' bundles can be given as arguments: name=folder/with/index.js
import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { actionBundle, bundle } from "../../scripts/build-action.ts";
import { checkout } from "../../scripts/run-command.ts";

const rounds = 25;

interface Contestant {
  name: string;
  file: string;
}

/** From the start of the process to its end, in milliseconds; with a wrong input that end is the first validation error. */
function timeOf(file: string): number {
  const env = {
    PATH: process.env.PATH,
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
    const [name, path] = argument.includes("=") ? argument.split("=", 2) : [basename(argument), argument];
    return { name: name ?? "", file: join(path ?? "", "index.js") };
  });
  const contestants: Contestant[] = [
    { name: "graphdeploy", file: join(actionBundle, "index.js") },
    { name: "@actions/core + @actions/github alone", file: join(baseline, "index.js") },
    { name: "Node.js itself", file: empty },
    ...peers,
  ];
  const times = new Map(contestants.map(({ name }) => [name, [] as number[]]));
  // By turns, so that what slows the machine down for a while slows all of them.
  for (let round = 0; round < rounds; round += 1)
    for (const { name, file } of contestants) times.get(name)?.push(timeOf(file));

  const rows: string[] = [];
  for (const { name, file } of contestants) {
    const kib = file === empty ? "–" : `${((await stat(file)).size / 1024).toFixed(0)} KiB`;
    const measured = times.get(name) ?? [];
    rows.push(`| ${name} | ${kib} | ${median(measured).toFixed(0)} ms | ${Math.min(...measured).toFixed(0)} ms |`);
  }
  const [own = [], alone = []] = [times.get("graphdeploy"), times.get("@actions/core + @actions/github alone")];
  const ratio = (median(own) / median(alone) - 1) * 100;
  const version = JSON.parse(await readFile(join(checkout, "package.json"), "utf8")).version;
  const results = `# The action's bundle: size and start

graphdeploy ${version}. Size of \`dist/index.js\`, and time from the start of the process to its end with an empty \`name\`: the first validation
error. The second bundle holds @actions/core and @actions/github alone and is made in the same run with the same options. ${rounds} rounds by
turns.

Command: \`node bench/action/run.ts [name=folder …]\`. Machine: ${cpus().length} cores, ${process.platform} ${process.arch}, Node.js ${process.versions.node}.

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
