import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { rows } from "../agent-server/rows.ts";
import { compiled, type ServerKind, startServer } from "../agent-server/servers.ts";
import { resultTable } from "../agent-server/tables.ts";

/**
 * Measures what an app under `http.app` costs requests of the agent server: with no app, with one that takes part in none
 * of the requests, and with middleware around all of them. Each runs in its own process, in the order A B C A B C. Run
 * `node bench/custom-routes/run.ts [rounds]` after `npm run build`.
 */
const rounds = Number(process.argv[2] ?? 2);
const folder = fileURLToPath(new URL("project", import.meta.url));
const withApp = (name: string, file: string): ServerKind => ({
  ...compiled,
  name,
  args: (port) => [...compiled.args(port).slice(0, 2), "--config", `${folder}/${file}`, "--port", String(port)],
  folder,
});
const kinds: ServerKind[] = [
  { ...compiled, name: "no app" },
  withApp("an app elsewhere", "elsewhere.json"),
  withApp("middleware around", "around.json"),
];
const names = ["POST /assistants/search", "POST /threads", "POST /runs/wait", "one stream of 20,000 events"];
const measured = rows.filter(({ name }) => names.some((wanted) => name.startsWith(wanted)));
const figures = new Map<string, number>();

for (let round = 0; round < rounds; round++) {
  for (const kind of kinds) {
    await using server = await startServer(kind);
    for (const { name, unit, better, measure } of measured) {
      const key = `${name}\t${unit}\t${kind.name}`;
      const value = await measure(server.port, kind.graphs);
      const known = figures.get(key) ?? value;
      figures.set(key, Math[better === "higher" ? "max" : "min"](known, value));
    }
  }
}

const table = resultTable(
  figures,
  kinds.map(({ name }) => name),
);
process.stdout.write(
  `Machine: ${cpus().length} cores, ${process.platform} ${process.arch}, Node.js ${process.version}. The better of ${rounds} rounds.\n\n${table}\n`,
);
