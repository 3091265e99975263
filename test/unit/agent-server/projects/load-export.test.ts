import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";

const project = new URL("../../../fixtures/graph-projects/typescript/src/", import.meta.url);
const loader = new URL("../../../../mock-server/worker/load/load-export.ts", import.meta.url).href;

/** Loads an export in its own worker, like a project's graphs. */
async function load(file: string, exportName: string): Promise<{ value?: unknown; error?: string; stderr: string }> {
  const program = `
    import { parentPort, workerData } from "node:worker_threads";
    const { loadExport } = await import(workerData.loader);
    try {
      parentPort.postMessage({ value: await loadExport(workerData) });
    } catch (error) {
      parentPort.postMessage({ error: error.message });
    }`;
  const module = fileURLToPath(new URL(file, project));
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(program)}`), {
    workerData: { loader, module, exportName },
    stderr: true,
  });
  let stderr = "";
  worker.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  const [[message]] = await Promise.all([once(worker, "message"), once(worker, "exit")]);
  return { ...message, stderr };
}

test("a TypeScript project loads without a build, with enums, parameter properties, paths, folders and missing extensions", async () => {
  expect(await load("main.ts", "told")).toEqual({ value: "HELLO-ada-2-42", stderr: "" });
});

test("an exported promise is awaited", async () => {
  expect((await load("main.ts", "later")).value).toBe("HELLO-ada-2-42");
  expect((await load("main.ts", "never")).error).toMatch(
    /^never of .*main\.ts is a promise that rejected: Error: no database \(\/.*\.ts:\d+\)$/,
  );
});

test("an unknown export is reported with the known ones", async () => {
  expect((await load("main.ts", "graph")).error).toMatch(
    /main\.ts doesn't export graph: it exports later, never, told\.$/,
  );
});

test("a module that throws, can't be parsed or has an unknown import is reported with its file and the cause", async () => {
  expect((await load("throws.ts", "before")).error).toMatch(
    /throws\.ts doesn't load: TypeError: no key is set \(\/.*\/throws\.ts:2\)$/,
  );
  expect((await load("syntax.ts", "broken")).error).toMatch(/syntax\.ts doesn't load: SyntaxError: .*syntax\.ts:1: /);
  expect((await load("imports-nothing.ts", "graph")).error).toMatch(
    /imports-nothing\.ts doesn't load: Cannot find module .*gone.*imports-nothing\.ts/,
  );
});

test("a TypeScript file's module kind follows from its syntax, not from words in its strings", async () => {
  expect((await load("common-with-words.ts", "text")).value).toContain("export");
  expect((await load("module-with-words.ts", "text")).value).toBe("module.exports = require(0)");
});

test("a TypeScript module in a package without type module gets what its compiler would give it", async () => {
  expect((await load("../../habits/commonjs-words.ts", "told")).value).toBe("habits commonjs-words.ts called! a/b");
  expect((await load("../../habits/own-words.ts", "told")).value).toBe("habits,import * as not from 'here'");
});

test("decorators work if tsconfig.json enables them, and are otherwise an error with file and line", async () => {
  expect((await load("../../habits/decorated/main.ts", "told")).value).toBe("DECO/RATED");
  expect((await load("../../habits/decorators.ts", "Sealed")).error).toMatch(
    /decorators\.ts:4: decorators aren't supported, unless tsconfig\.json sets "experimentalDecorators"/,
  );
});

test("the path aliases of a graph also apply inside the libraries that it imports through them", async () => {
  expect(await load("../../workspace/apps/agent/src/main.ts", "told")).toEqual({ value: "a and b", stderr: "" });
});
