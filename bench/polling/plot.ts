import type { Followed } from "./simulate.ts";

const width = 760;
const height = 420;
const margin = { left: 70, right: 36, top: 40, bottom: 56 };
const colours = ["#0b7285", "#868e96", "#e8590c", "#5f3dc4"];

/** Both axes are logarithmic: rollout length, and delay from DEPLOYED until it is noticed. */
const x = { least: 20, greatest: 1_800, ticks: [20, 60, 180, 600, 1_800] };
const y = { least: 0.1, greatest: 60, ticks: [0.1, 1, 5, 10, 60] };

/** The number of points of a line, each for a group of rollouts of similar length. */
const groups = 12;

const number = (value: number) => value.toFixed(1);

function place({ least, greatest }: { least: number; greatest: number }, value: number): number {
  return Math.log(Math.min(Math.max(value, least), greatest) / least) / Math.log(greatest / least);
}

const left = (seconds: number) => margin.left + place(x, seconds) * (width - margin.left - margin.right);
const top = (seconds: number) => height - margin.bottom - place(y, seconds) * (height - margin.top - margin.bottom);

/**
 * An SVG of the mean delay over the rollout length, with a line for each policy. The same input yields the same text.
 */
export function plotDelays(title: string, series: readonly { name: string; runs: readonly Followed[] }[]): string {
  const bottom = height - margin.bottom;
  const right = width - margin.right;
  const grid = [
    ...x.ticks.map(
      (tick) =>
        `<path class="grid" d="M${number(left(tick))} ${margin.top}V${bottom}"/><text x="${number(left(tick))}" y="${bottom + 18}" text-anchor="middle">${tick} s</text>`,
    ),
    ...y.ticks.map(
      (tick) =>
        `<path class="grid" d="M${margin.left} ${number(top(tick))}H${right}"/><text x="${margin.left - 8}" y="${number(top(tick) + 4)}" text-anchor="end">${tick} s</text>`,
    ),
  ];
  const lines = series.map(({ name, runs }, index) => {
    const colour = colours[index % colours.length];
    const path = meansByLength(runs)
      .map(([length, delay], point) => `${point === 0 ? "M" : "L"}${number(left(length))} ${number(top(delay))}`)
      .join("");
    const legend = margin.left + index * 165;
    return `<path d="${path}" fill="none" stroke="${colour}" stroke-width="2.5"/><path d="M${legend} 26h18" stroke="${colour}" stroke-width="2.5"/><text x="${legend + 24}" y="30">${name}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">`,
    "<style>text{font:13px sans-serif;fill:#343a40}.grid{stroke:#dee2e6;fill:none}</style>",
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    ...grid,
    ...lines,
    `<text x="${(margin.left + right) / 2}" y="${height - 12}" text-anchor="middle">${title}</text>`,
    "</svg>",
    "",
  ].join("\n");
}

/** Mean length and mean delay, in seconds, of groups of rollouts of similar length. */
function meansByLength(runs: readonly Followed[]): [length: number, delay: number][] {
  const sorted = [...runs].sort((a, b) => a.totalMs - b.totalMs);
  const size = Math.ceil(sorted.length / groups);
  return Array.from({ length: groups }, (_, group) => {
    const members = sorted.slice(group * size, (group + 1) * size);
    const mean = (value: (run: Followed) => number) =>
      members.reduce((sum, run) => sum + value(run), 0) / members.length / 1_000;
    return [mean(({ totalMs }) => totalMs), mean(({ delayMs }) => delayMs)];
  });
}
