import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { ResponseFacts } from "../../kit/conformance/response-facts.ts";
import {
  type Difference,
  differencesBetween,
  differencesTable,
  type ExplainedDifferences,
} from "./recording-differences.ts";
import { factsOfOurs } from "./run-probes.ts";

const read = <Content>(name: string) => JSON.parse(readFileSync(new URL(name, import.meta.url), "utf8")) as Content;
const recorded = read<Record<string, ResponseFacts>>("recordings.digest.json");
const explained = read<ExplainedDifferences[]>("recording-differences.json");
const ours = await factsOfOurs();

const lines = (differences: readonly Difference[]) =>
  differences
    .flatMap(({ probes, fact, recorded, ours }) => probes.map((probe) => `${probe}: ${fact}: ${recorded} → ${ours}`))
    .sort();

test("our server responds to every recorded probe", () => {
  expect(Object.keys(ours).sort()).toEqual(Object.keys(recorded).sort());
  expect(Object.keys(ours)).toHaveLength(253);
});

test("our responses differ from the recorded ones in exactly the listed facts", () => {
  expect(lines(differencesBetween(recorded, ours))).toEqual(lines(explained.flatMap(({ differences }) => differences)));
});

test("differences that claim hosted behaviour name their source", () => {
  const isSourced = ({ kind, source }: ExplainedDifferences) =>
    (kind === "hosted behaviour") === (source !== undefined);
  expect(explained.filter((one) => !isSourced(one))).toEqual([]);
});

test("the docs show the differences and their reasons", () => {
  const page = readFileSync(new URL("../../../docs/reference/conformance.md", import.meta.url), "utf8");
  expect(page).toContain(differencesTable(explained));
});
