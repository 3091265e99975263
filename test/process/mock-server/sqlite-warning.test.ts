import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

/** The oldest supported Node.js, whose SQLite module is experimental and warns. */
const node22 = fileURLToPath(new URL("../../../node_modules/node-22/bin/node", import.meta.url));
const isThere = existsSync(node22);
const reason = isThere ? "" : " (skipped: the package node-22 has no executable for this machine)";
const built = (file: string) => fileURLToPath(new URL(`../../../build/${file}`, import.meta.url));
const pathOf = (file: string) => fileURLToPath(new URL(`../../../mock-server/${file}`, import.meta.url));

/** Runs a module and returns its output to stderr. */
async function errorsOf(executable: string, source: string): Promise<string> {
  const child = spawn(executable, ["--experimental-strip-types", "--input-type=module", "-e", source]);
  let text = "";
  child.stderr.on("data", (chunk) => {
    text += chunk;
  });
  await once(child, "close");
  return text;
}

test("only the warning about SQLite is silenced", async () => {
  const errors = await errorsOf(
    process.execPath,
    `const { silenceSqliteWarning } = await import(${JSON.stringify(pathOf("sqlite-warning.ts"))});
    silenceSqliteWarning();
    process.emitWarning("SQLite is an experimental feature and might change at any time", "ExperimentalWarning");
    process.emitWarning("Another is an experimental feature", "ExperimentalWarning");
    process.emitWarning("SQLite is an experimental feature", "DeprecationWarning");`,
  );
  expect(errors).toContain("ExperimentalWarning: Another is an experimental feature");
  expect(errors).toContain("DeprecationWarning: SQLite is an experimental feature");
  expect(errors).not.toContain("ExperimentalWarning: SQLite");
});

test.skipIf(!isThere)(`on Node.js 22 the command doesn't warn about SQLite${reason}`, async () => {
  const child = spawn(node22, [built("cli.js"), "mock", "--port", "0"]);
  let errors = "";
  child.stderr.on("data", (chunk) => {
    errors += chunk;
  });
  await once(createInterface({ input: child.stdout }), "line");
  child.kill("SIGTERM");
  await once(child, "close");
  expect(errors).not.toContain("SQLite");
});

test.skipIf(!isThere)(`on Node.js 22 a server in a user's process doesn't silence any warning${reason}`, async () => {
  const errors = await errorsOf(
    node22,
    `const { startMockServer } = await import(${JSON.stringify(built("mock-server.js"))});
    await (await startMockServer({ port: 0 })).close();`,
  );
  expect(errors).toContain("ExperimentalWarning: SQLite is an experimental feature");
});
