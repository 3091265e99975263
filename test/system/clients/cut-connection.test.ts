import { fileURLToPath } from "node:url";
import { Client } from "@langchain/langgraph-sdk";
import { expect, test } from "vitest";
import { startBuiltDev, startBuiltMock } from "../../kit/clients/built-server.ts";
import { apiOf, dockerBody } from "../../kit/mock-server/api.ts";
import { run } from "../../kit/python/run.ts";
import { virtualEnvironment } from "../../kit/python/virtual-environment.ts";
import { startCuttingProxy } from "./cutting-proxy.ts";

const python = await virtualEnvironment("langgraph-sdk==0.4.14", "langgraph==1.2.24");
const skip = python.missing === undefined ? "" : ` (skipped: ${python.missing})`;
const script = fileURLToPath(new URL("cut_connection.py", import.meta.url));

/** The script's requests, by the end of their paths. Each is cut once, and resumes where the server said. */
const cut = ["join", "stream", "stream", "wait", "wait", "wait"];
const resumed = ["join", "join", "join", "join", "stream", "stream"];

const endsOf = (requests: string[]) => requests.map((request) => request.replace(/.*\//, "")).sort();

test.skipIf(skip)(`the Python client resumes where the server says after each lost connection${skip}`, async () => {
  if (python.missing !== undefined) throw new Error(python.missing);
  await using server = await startBuiltDev();
  await using proxy = await startCuttingProxy(server.url);
  expect(await run(python.command("python"), [script, proxy.url])).toEqual({ code: 0, output: "done\n" });
  expect([endsOf(proxy.cut), endsOf(proxy.resumed)]).toEqual([cut, resumed]);
});

test.skipIf(skip)(`the Python client resumes on a deployment's agent server, too${skip}`, async () => {
  if (python.missing !== undefined) throw new Error(python.missing);
  await using server = await startBuiltMock("--transitions", "immediate");
  await using proxy = await startCuttingProxy(server.url);
  const controlPlane = apiOf(`${server.url}/api-host`);
  const { id } = (await controlPlane("POST", "/v2/deployments", dockerBody())).body;
  const path = `/agents/${id}`;
  expect(await run(python.command("python"), [script, proxy.url + path])).toEqual({ code: 0, output: "done\n" });
  expect([endsOf(proxy.cut), endsOf(proxy.resumed)]).toEqual([cut, resumed]);
  expect(proxy.resumed.every((request) => request.startsWith(`GET ${path}/`))).toBe(true);
});

test("the JavaScript client resumes a stream after a lost connection", async () => {
  await using server = await startBuiltDev();
  await using proxy = await startCuttingProxy(server.url);
  const { threads, runs } = new Client({ apiUrl: proxy.url, apiKey: "key" });
  const { thread_id: id } = await threads.create();
  const input = { ms: 300, steps: 6 };
  const steps: unknown[] = [];
  for await (const { event, data } of runs.stream(id, "delay", {
    input,
    streamMode: "custom",
    streamResumable: true,
  })) {
    if (event === "custom") steps.push(data);
  }
  expect(steps).toEqual([1, 2, 3, 4, 5, 6].map((step) => ({ step, of: 6 })));
  expect([endsOf(proxy.cut), endsOf(proxy.resumed)]).toEqual([["stream"], ["stream"]]);
});
