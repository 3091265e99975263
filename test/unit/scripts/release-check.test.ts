import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { releaseProblems } from "../../../scripts/release-check.ts";
import { checkout } from "../../../scripts/run-command.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** A copy of the files that the check reads, with the given repository address. */
function checkoutOf(address: string): string {
  const root = mkdtempSync(join(tmpdir(), "release-"));
  folders.push(root);
  mkdirSync(join(root, "examples"));
  for (const path of ["package.json", "CHANGELOG.md", "README.md", "docs", "examples/workflows"]) {
    cpSync(join(checkout, path), join(root, path), { recursive: true });
  }
  edit(root, "package.json", /github\.com\/\w+\/graphdeploy/, address);
  return root;
}

function edit(root: string, path: string, from: RegExp, to: string): void {
  const file = join(root, path);
  writeFileSync(file, readFileSync(file, "utf8").replace(from, to));
}

test("a release is refused while the repository's address is a placeholder, and for no other reason in this checkout", () => {
  expect(releaseProblems(checkout)).toEqual([
    "package.json: repository.url: OWNER is a placeholder. Give the repository's address.",
  ]);
});

test("documents with another address than package.json are listed with their lines", () => {
  const problems = releaseProblems(checkoutOf("github.com/acme/graphdeploy"));
  const lines = readFileSync(join(checkout, "docs/guides/action.md"), "utf8").split("\n");
  const line = lines.findIndex((text) => text.includes("OWNER/graphdeploy@v0")) + 1;
  expect(problems).toContain(
    `docs/guides/action.md:${line}: shows OWNER/graphdeploy@v0 instead of acme/graphdeploy@v0.`,
  );
  expect(problems.every((problem) => / shows OWNER\/graphdeploy@v0 instead of /.test(problem))).toBe(true);
});

test("a version without a section in the changelog is refused, unless changesets are pending", () => {
  const root = checkoutOf("github.com/OWNER/graphdeploy");
  edit(root, "package.json", /"version": "[^"]+"/, '"version": "0.99.0"');
  expect(releaseProblems(root)).toContain("CHANGELOG.md: has no section for 0.99.0.");
  mkdirSync(join(root, ".changeset"));
  writeFileSync(join(root, ".changeset", "calm-lions-sing.md"), "");
  expect(releaseProblems(root)).toHaveLength(1);
});

test("an address that isn't on github.com is refused", () => {
  expect(() => releaseProblems(checkoutOf("example.com/graphdeploy"))).toThrow(/repository\.url: not an address on/);
});
