import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, mkdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { until } from "../../kit/agent-server/agent.ts";
import { copyOfProject } from "../../kit/agent-server/projects/project-copy.ts";

/** A compiler that never comes back. It leaves a file when it is asked for the first time. */
const compiler = `
  exports.createProgram = exports.findConfigFile = () => {
    require("node:fs").writeFileSync(__dirname + "/begun", "");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  };
  exports.sys = {};
`;

test("the dev command ends on SIGINT while types are read for graphs that were replaced", async () => {
  await using copy = await copyOfProject("typed");
  const packages = join(copy.folder, "node_modules");
  await rm(packages);
  await mkdir(join(packages, "typescript"), { recursive: true });
  const ours = (name: string) => fileURLToPath(new URL(`../../../node_modules/${name}`, import.meta.url));
  for (const name of ["@langchain", "zod"]) await symlink(ours(name), join(packages, name), "dir");
  await writeFile(join(packages, "typescript/index.js"), compiler);
  const dev = fileURLToPath(new URL("../../../mock-server/dev.ts", import.meta.url));
  const child = spawn(process.execPath, [dev, "--port", "0", "--config", join(copy.folder, "graph.json")]);
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const url = /http:\S+/.exec((await lines.next()).value as string)?.[0];
  const client = new AbortController();
  const reading = fetch(`${url}/assistants/order/schemas`, { signal: client.signal }).catch(() => undefined);
  const exists = (path: string) =>
    stat(path).then(
      () => true,
      () => false,
    );
  await until(() => exists(join(packages, "typescript/begun")));
  client.abort();
  await reading;
  await appendFile(join(copy.folder, "order.ts"), "\n// Changed.\n");
  for (let line = ""; !line.startsWith("Loaded again"); ) line = (await lines.next()).value as string;
  child.kill("SIGINT");
  expect(await once(child, "exit")).toEqual([0, null]);
});
