import type { ResponseFacts } from "../../kit/conformance/response-facts.ts";

/** A fact in which the responses to some probes differ. `null`: one side doesn't have it. */
export interface Difference {
  fact: string;
  recorded: string | null;
  ours: string | null;
  /** Names of the probes, in order. */
  probes: string[];
}

/** Differences with a common reason. */
export interface ExplainedDifferences {
  /** Which side is right. */
  kind: "hosted behaviour" | "bug not copied" | "own decision" | "not there yet";
  reason: string;
  /** The source for the hosted behaviour. */
  source?: string;
  differences: Difference[];
}

/**
 * All differences. If the status differs, nothing else of the response is compared. If a field is missing or has
 * another type, nothing below it is.
 */
export function differencesBetween(
  recorded: Record<string, ResponseFacts>,
  ours: Record<string, ResponseFacts>,
): Difference[] {
  const found = new Map<string, Difference>();
  for (const [probe, then] of Object.entries(recorded)) {
    const now = ours[probe] ?? {};
    for (const fact of new Set([...Object.keys(then), ...Object.keys(now)])) {
      if (then[fact] === now[fact] || (fact !== "status" && then.status !== now.status)) continue;
      const parent = parentOf(fact);
      if (parent !== undefined && typeOf(then[parent]) !== typeOf(now[parent])) continue;
      const key = JSON.stringify([fact, then[fact], now[fact]]);
      const known = found.get(key);
      if (known) known.probes.push(probe);
      else found.set(key, { fact, recorded: then[fact] ?? null, ours: now[fact] ?? null, probes: [probe] });
    }
  }
  return [...found.values()].map((difference) => ({ ...difference, probes: difference.probes.sort() })).sort(byFact);
}

/** The type without the mark of a field that only some values have. */
function typeOf(fact: string | undefined): string | undefined {
  return fact?.replace(/\?$/, "");
}

function parentOf(fact: string): string | undefined {
  return /^((?:body|event ).*?)(?:\.[^.[\]]*|\[\])$/s.exec(fact)?.[1];
}

function byFact(one: Difference, other: Difference): number {
  return JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;
}

/** The differences as a Markdown table with a row for each reason. */
export function differencesTable(explained: readonly ExplainedDifferences[]): string {
  const rows = explained.map(({ kind, source, reason, differences }) => {
    const facts = [...new Set(differences.map(({ fact }) => `\`${fact.replaceAll("|", "\\|").slice(0, 60)}\``))];
    const shown = facts.length > 4 ? [...facts.slice(0, 3), `${facts.length - 3} more`] : facts;
    const probes = new Set(differences.flatMap(({ probes: names }) => names)).size;
    return `| ${reason} | ${source === undefined ? kind : `${kind}: ${source}`} | ${shown.join(", ")} | ${probes} |`;
  });
  return ["| what our server does | why | in | probes |", "|---|---|---|---|", ...rows].join("\n");
}
