import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkout } from "../../scripts/run-command.ts";
import { type Finding, forbiddenIdentifiers, forbiddenLines, forbiddenLiterals } from "../kit/vocabulary.ts";
import { allowances, excluded, folders, identifiers, pages, phrases } from "./vocabulary.ts";

const sources = globSync(
  folders.map((folder) => `${folder}/**/*.{ts,mjs}`),
  { cwd: checkout, exclude: excluded },
).sort();

/** The findings of `check` in `paths` that no allowance covers, one line each. */
async function findingsIn(
  paths: readonly string[],
  list: Readonly<Record<string, string>>,
  check: (text: string, words: readonly string[]) => Finding[],
): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths) {
    const allowed = allowances.filter((allowance) => path.startsWith(allowance.path)).flatMap(({ words }) => words);
    const words = Object.keys(list).filter((word) => !allowed.includes(word));
    for (const { word, text, line } of check(await readFile(join(checkout, path), "utf8"), words)) {
      found.push(`${path}:${line}: ${text}: instead of "${word}" write ${list[word]}`);
    }
  }
  return found;
}

test("names in the sources follow the glossary", async () => {
  expect(sources.length).toBeGreaterThan(500);
  expect(await findingsIn(sources, identifiers, forbiddenIdentifiers)).toEqual([]);
});

test("messages in the sources follow the glossary", async () => {
  expect(await findingsIn(sources, phrases, forbiddenLiterals)).toEqual([]);
});

test("pages for users follow the glossary", async () => {
  expect(await findingsIn(globSync(pages, { cwd: checkout }).sort(), phrases, forbiddenLines)).toEqual([]);
});

test("every allowance is needed, and every folder exists", async () => {
  for (const { path, words } of allowances) {
    const allowed = [...sources, ...globSync(pages, { cwd: checkout })].filter((source) => source.startsWith(path));
    const texts = await Promise.all(allowed.map((source) => readFile(join(checkout, source), "utf8")));
    const checks = path.endsWith(".md") ? [forbiddenLines] : [forbiddenIdentifiers, forbiddenLiterals];
    const found = texts.flatMap((text) => checks.flatMap((check) => check(text, words)));
    expect(new Set(found.map(({ word }) => word)), path).toEqual(new Set(words));
  }
  for (const folder of folders) {
    expect(globSync(`${folder}/**/*`, { cwd: checkout }).length, folder).toBeGreaterThan(0);
  }
});

test.each([
  ["const farewellMs = 4_500;", "farewell", "farewellMs"],
  ["class Rollout { #lastAnswer = 1; }", "answer", "#lastAnswer"],
  ["goOnWith(deployment);", "goOnWith", "goOnWith"],
  ["interface Limits { MOST_WRITES: number }", "most", "MOST_WRITES"],
])("the name in %s is found", (source, word, text) => {
  expect(forbiddenIdentifiers(source, [word])).toEqual([{ word, text, line: 1 }]);
});

test.each(["// the farewell", "const answering = almost;", 'const text = "farewell";'])(
  "there is no forbidden name in %s",
  (source) => {
    expect(forbiddenIdentifiers(source, Object.keys(identifiers))).toEqual([]);
  },
);

test.each([
  ['throw new Error("The user is told so.");', "is told"],
  ["const line = `\n$" + "{name} is\n  taken for $" + "{other}.`;", "is taken for"],
  ["const line = `$" + "{name} and $" + "{other} are no more.`;", "no more"],
])("the phrase in %s is found", (source, word) => {
  expect(forbiddenLiterals(source, Object.keys(phrases))).toMatchObject([{ word }]);
});

test("comments, and limits such as 'no more than 5', don't count as forbidden phrases", () => {
  const source = "// Begun anew.\nconst text = `no more than $" + "{count} amended, unanswered`;";
  expect(forbiddenLiterals(source, Object.keys(phrases))).toEqual([]);
});

test("a phrase in a page is found once, also across a line break", () => {
  expect(forbiddenLines("The server goes\non with it.\nIt is told anew.", ["goes on with", "anew"])).toMatchObject([
    { word: "goes on with", line: 1 },
    { word: "anew", line: 3 },
  ]);
});
