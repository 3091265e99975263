/** Figures by "row, unit, server", separated by tabs. */
export type Figures = ReadonlyMap<string, number>;

function figure(figures: Figures, row: string, server: string): number {
  for (const [key, value] of figures) {
    const [name, , ofServer] = key.split("\t");
    if (name === row && ofServer === server) return value;
  }
  return Number.NaN;
}

function shown(value: number): string {
  if (Number.isNaN(value)) return "–";
  return value.toLocaleString("en", { maximumSignificantDigits: value < 1000 ? 3 : 4 });
}

/** Every figure: a row per measurement, a column per server. */
export function resultTable(figures: Figures, servers: readonly string[]): string {
  const rows = new Set([...figures.keys()].map((key) => key.split("\t").slice(0, 2).join("\t")));
  const lines = [...rows].map((row) => {
    const [name = "", unit = ""] = row.split("\t");
    const cells = servers.map((server) => shown(figures.get(`${row}\t${server}`) ?? Number.NaN));
    return `| ${[name, unit, ...cells].join(" | ")} |`;
  });
  return [`| | unit | ${servers.join(" | ")} |`, `|---|---|${servers.map(() => "---").join("|")}|`, ...lines].join(
    "\n",
  );
}

/** A target: our figure divided by another server's, or our figure itself, is at most or at least `ratio`. */
interface Aim {
  row: string;
  ours: "scripted" | "compiled";
  other?: string;
  bound: "at most" | "at least";
  ratio: number;
}

const peer = "peer, 10 workers";
const start = "start to /ok, median of 5";
const memory = "idle memory, shared pages by their share";
const rates = ["POST /assistants/search", "POST /threads"].flatMap((name) =>
  [1, 32].map((at) => `${name}, ${at} at once`),
);
const wait = "POST /runs/wait, 1 at once";
const events = "one stream of 20,000 events";
const streams = "200 streams at once of 20 events";

const aims: readonly Aim[] = [
  { row: start, ours: "scripted", bound: "at most", ratio: 250 },
  { row: start, ours: "scripted", other: peer, bound: "at most", ratio: 1 / 8 },
  { row: start, ours: "compiled", other: peer, bound: "at most", ratio: 1 / 8 },
  { row: memory, ours: "scripted", other: peer, bound: "at most", ratio: 1 / 2 },
  { row: memory, ours: "compiled", other: peer, bound: "at most", ratio: 1 / 2 },
  ...rates.map((row): Aim => ({ row, ours: "scripted", other: peer, bound: "at least", ratio: 3 })),
  { row: wait, ours: "scripted", bound: "at most", ratio: 1 },
  { row: wait, ours: "scripted", other: peer, bound: "at most", ratio: 1 / 60 },
  { row: wait, ours: "compiled", other: peer, bound: "at most", ratio: 1 / 30 },
  { row: wait, ours: "compiled", other: "in process", bound: "at most", ratio: 8 },
  { row: events, ours: "scripted", other: peer, bound: "at least", ratio: 6 },
  { row: events, ours: "compiled", other: peer, bound: "at least", ratio: 4 },
  ...(["scripted", "compiled"] as const).flatMap((ours): Aim[] => [
    { row: streams, ours, other: peer, bound: "at most", ratio: 1 / 8 },
    { row: streams, ours, other: "peer, 64 workers", bound: "at most", ratio: 1 / 2 },
  ]),
];

/** A table of the targets and whether they are met. */
export function reachedTable(figures: Figures): string {
  const lines = aims.map(({ row, ours, other, bound, ratio }) => {
    const reached = figure(figures, row, ours) / (other === undefined ? 1 : figure(figures, row, other));
    const asShown = other === undefined ? shown : asRatio;
    const isReached = bound === "at most" ? reached <= ratio : reached >= ratio;
    const verdict = Number.isNaN(reached) ? "not measured" : isReached ? "yes" : "**no**";
    return `| ${[row, ours, other ?? "–", `${bound} ${asShown(ratio)}`, Number.isNaN(reached) ? "–" : asShown(reached), verdict].join(" | ")} |`;
  });
  return ["| | graphs | beside | aimed at | measured | reached |", "|---|---|---|---|---|---|", ...lines].join("\n");
}

function asRatio(ratio: number): string {
  return ratio < 0.6 ? `1/${shown(1 / ratio)}` : `${shown(ratio)} ×`;
}
