// `node scripts/count-statements.ts [--at <revision>] [<folder> …]`: how much code ships, by top folder. Types,
// comments and formatting don't count.
import { execFileSync } from "node:child_process";
import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { extract } from "tar-stream";
import ts from "typescript";
import { checkout } from "./run-command.ts";

const shippedFolders = ["core", "provider", "action", "cli", "mock-server"];

/**
 * The number of statements of a TypeScript source, including nested ones, without types. Of a block, only its contents
 * count.
 */
export function countStatements(source: string): number {
  const { outputText } = ts.transpileModule(source, {
    compilerOptions: { target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true },
  });
  let count = 0;
  const visit = (node: ts.Node): void => {
    if (ts.isStatement(node) && !ts.isBlock(node) && !ts.isEmptyStatement(node)) count += 1;
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(ts.createSourceFile("source.js", outputText, ts.ScriptTarget.ESNext), visit);
  return count;
}

async function* filesOfCheckout(): AsyncIterable<{ path: string; source: string }> {
  for (const path of globSync("**/*.ts", { cwd: checkout, exclude: ["node_modules", "build", "dist"] }).sort()) {
    yield { path, source: await readFile(join(checkout, path), "utf8") };
  }
}

async function* filesOfRevision(revision: string): AsyncIterable<{ path: string; source: string }> {
  const archive = extract();
  archive.end(execFileSync("git", ["archive", revision], { cwd: checkout, maxBuffer: 2 ** 30 }));
  for await (const entry of archive) yield { path: entry.header.name, source: await text(entry) };
}

async function printCounts(): Promise<void> {
  const { values, positionals } = parseArgs({ options: { at: { type: "string" } }, allowPositionals: true });
  const folders = positionals.length > 0 ? positionals.map((folder) => folder.replace(/\/$/, "")) : shippedFolders;
  const counts = new Map(folders.map((folder) => [folder, 0]));
  for await (const { path, source } of values.at === undefined ? filesOfCheckout() : filesOfRevision(values.at)) {
    const folder = folders.find((folder) => path.startsWith(`${folder}/`));
    if (folder === undefined || !path.endsWith(".ts")) continue;
    counts.set(folder, (counts.get(folder) ?? 0) + countStatements(source));
  }
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  for (const [name, count] of [...counts, ["in all", total] as const]) {
    process.stdout.write(`${name.padEnd(24)}${String(count).padStart(8)}\n`);
  }
}

if (import.meta.main) await printCounts();
