import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const server = fileURLToPath(new URL("../../../mock-server/start-dev.ts", import.meta.url));

/**
 * Starts the agent server, sends the requests of a client's first screen, and prints which of Node's modules were
 * loaded for that.
 */
const script = `
  const { startDev } = await import(${JSON.stringify(server)});
  const { url, close } = await startDev({ port: 0, host: "127.0.0.1", reload: false, logFormat: "json" });
  const { request } = process.getBuiltinModule("node:http");
  const ask = (method, path, body) => new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json" };
    const asked = request(url + path, { method, headers }, (answer) => answer.resume().on("end", () => resolve(answer.statusCode)));
    asked.on("error", reject).end(body);
  });
  const statuses = [await ask("GET", "/ok"), await ask("POST", "/assistants/search", "{}"), await ask("POST", "/threads", "{}")];
  await close();
  console.log(JSON.stringify({ statuses, modules: process.moduleLoadList }));
`;

test("a server that starts and handles small requests doesn't load an HTTP client", async () => {
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (piece) => {
    output += piece;
  });
  await once(child, "close");
  const { statuses, modules } = JSON.parse(output.trim().split("\n").at(-1) as string);
  expect(statuses).toEqual([200, 200, 200]);
  expect(modules.filter((name: string) => name.includes("undici"))).toEqual([]);
});
