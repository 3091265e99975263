import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { AnswerFacts } from "../../kit/conformance/answer-facts.ts";
import {
  type Difference,
  differencesBetween,
  differencesTable,
  type ExplainedDifferences,
} from "./recording-differences.ts";
import { factsOfOurs } from "./run-probes.ts";

const read = <Content>(name: string) => JSON.parse(readFileSync(new URL(name, import.meta.url), "utf8")) as Content;
const recorded = read<Record<string, AnswerFacts>>("recordings.digest.json");
const explained = read<ExplainedDifferences[]>("recording-differences.json");
const ours = await factsOfOurs();

const lines = (differences: readonly Difference[]) =>
  differences
    .flatMap(({ probes, fact, recorded, ours }) => probes.map((probe) => `${probe}: ${fact}: ${recorded} → ${ours}`))
    .sort();

test("every recorded probe is answered by our server", () => {
  expect(Object.keys(ours).sort()).toEqual(Object.keys(recorded).sort());
  expect(Object.keys(ours)).toHaveLength(253);
});

test("our answers differ from the recorded ones in the listed facts, all of them and no others", () => {
  expect(lines(differencesBetween(recorded, ours))).toEqual(lines(explained.flatMap(({ differences }) => differences)));
});

test("what is said to be hosted behaviour names where that is known from", () => {
  const isSourced = ({ kind, source }: ExplainedDifferences) =>
    (kind === "hosted behaviour") === (source !== undefined);
  expect(explained.filter((one) => !isSourced(one))).toEqual([]);
});

test("the docs show the differences and their reasons", () => {
  const page = readFileSync(new URL("../../../docs/reference/conformance.md", import.meta.url), "utf8");
  expect(page).toContain(differencesTable(explained));
});
