import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

/** An executable of Node.js 22, whose SQLite is still called experimental: `GRAPHDEPLOY_NODE_22`, for example of the package `node@22.19.0`. */
const node22 = process.env.GRAPHDEPLOY_NODE_22;
const reason = node22 === undefined ? " (GRAPHDEPLOY_NODE_22 isn't set)" : "";
const pathOf = (file: string) => fileURLToPath(new URL(`../../mock-server/${file}`, import.meta.url));

/** Runs a module, and returns what it wrote to stderr. */
async function errorsOf(executable: string, source: string): Promise<string> {
  const child = spawn(executable, ["--experimental-strip-types", "--input-type=module", "-e", source]);
  let text = "";
  child.stderr.on("data", (chunk) => {
    text += chunk;
  });
  await once(child, "close");
  return text;
}

test("of all warnings, only the one about SQLite is silenced", async () => {
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

test.skipIf(node22 === undefined)(`on Node.js 22 the command doesn't warn of SQLite${reason}`, async () => {
  const child = spawn(node22 ?? "", ["--experimental-strip-types", pathOf("main.ts"), "--port", "0"]);
  let errors = "";
  child.stderr.on("data", (chunk) => {
    errors += chunk;
  });
  await once(createInterface({ input: child.stdout }), "line");
  child.kill("SIGTERM");
  await once(child, "close");
  expect(errors).not.toContain("SQLite");
});

test.skipIf(node22 === undefined)(
  `on Node.js 22 a server in a user's process leaves the warnings alone${reason}`,
  async () => {
    const errors = await errorsOf(
      node22 ?? "",
      `const { startMockServer } = await import(${JSON.stringify(pathOf("server.ts"))});
    await (await startMockServer({ port: 0 })).close();`,
    );
    expect(errors).toContain("ExperimentalWarning: SQLite is an experimental feature");
  },
);
