import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Digest } from "../../kit/conformance/digest.ts";

/**
 * Facts in which our document differs from the reference in the same way and for the same reason. `null`: one of the
 * two doesn't have the fact.
 */
interface Deviation {
  reason: string;
  reference: string | null;
  ours: string | null;
  /** Names of facts, in order. */
  facts: string[];
}

const read = <Content>(name: string) => JSON.parse(readFileSync(new URL(name, import.meta.url), "utf8")) as Content;

const operationsOf = (digest: Digest) => new Set(Object.keys(digest).map((fact) => fact.split(" ", 2).join(" ")));

/** What the test compares. */
export interface Comparison {
  /** Base name of the digest `<name>.digest.json` and of the deviations `<name>-deviations.json`. */
  name: string;
  ours: Digest;
  /** The number of operations in the reference. */
  operations: number;
}

/** Tests that our document differs from the reference in exactly the listed facts. */
export function testDeviations({ name, ours, operations }: Comparison): void {
  const reference = read<Digest>(`${name}.digest.json`);
  const deviations = read<Deviation[]>(`${name}-deviations.json`);

  test("the document differs from the reference in exactly the listed facts", () => {
    const found = [...new Set([...Object.keys(reference), ...Object.keys(ours)])]
      .filter((fact) => reference[fact] !== ours[fact])
      .map((fact) => `${fact}: ${reference[fact] ?? null} → ${ours[fact] ?? null}`);
    const listed = deviations.flatMap((deviation) =>
      deviation.facts.map((fact) => `${fact}: ${deviation.reference} → ${deviation.ours}`),
    );
    expect(found.sort()).toEqual(listed.sort());
  });

  test("every listed deviation has a reason, which names whom it follows if it follows anybody", () => {
    const isVague = /^$|\bnewer\b/i;
    expect(deviations.map(({ reason }) => reason).filter((reason) => isVague.test(reason.trim()))).toEqual([]);
  });

  test("every operation of the reference exists", () => {
    const own = operationsOf(ours);
    const wanted = [...operationsOf(reference)].filter((operation) => operation !== "info version");
    expect(wanted).toHaveLength(operations);
    expect(wanted.filter((operation) => !own.has(operation))).toEqual([]);
  });
}
