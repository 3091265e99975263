import { request } from "node:http";
import { expect, test } from "vitest";
import { createGraphAgentServer } from "../../../mock-server/agent-server/graph-agent-server.ts";
import { localAgent, startDevServer } from "../../../mock-server/dev-server.ts";
import { builtInGraphs } from "../../../mock-server/graphs/built-in-graphs.ts";
import { startMockServer } from "../../../mock-server/server.ts";

/** The status of a request with the given Host. */
function statusFor(url: string, host: string, path = "/v2/deployments"): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(url + path, { headers: { host, "x-api-key": "any" } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on("error", reject).end();
  });
}

test("a page whose name was rebound to loopback can't read anything", async () => {
  await using mock = await startMockServer({ port: 0 });
  const { port } = new URL(mock.url);
  for (const path of ["/v2/deployments", "/openapi.json", "/oauth/authorize", "/agents/any/ok", "/nowhere"]) {
    expect(await statusFor(mock.url, `evil.example:${port}`, path), path).toBe(421);
  }
  for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`, "mock.localhost"]) {
    expect(await statusFor(mock.url, host), host).toBe(200);
  }
});

test("requests for allowed hosts and for the public address get responses", async () => {
  await using mock = await startMockServer({
    port: 0,
    allowedHosts: ["mock"],
    publicUrl: "https://mocks.example:8443/x",
  });
  expect(await statusFor(mock.url, "mock:8124")).toBe(200);
  expect(await statusFor(mock.url, "mocks.example:8443")).toBe(200);
  expect(await statusFor(mock.url, "other.example")).toBe(421);
});

test("a server that listens beyond loopback responds to any name", async () => {
  await using mock = await startMockServer({ port: 0, host: "0.0.0.0" });
  expect(await statusFor(mock.url, "mock:8124")).toBe(200);
});

const startDev = (host: string, allowedHosts?: string[]) =>
  startDevServer(0, host, createGraphAgentServer({ graphs: builtInGraphs }), localAgent, allowedHosts);

test("a separate agent server on loopback responds to loopback's names and to allowed ones", async () => {
  await using dev = await startDev("127.0.0.1", ["dev.example"]);
  const { port } = new URL(dev.url);
  for (const path of ["/ok", "/info", "/threads", "/docs", "/nowhere"]) {
    expect(await statusFor(dev.url, `evil.example:${port}`, path), path).toBe(421);
  }
  for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`, "dev.localhost", "dev.example:80"]) {
    expect(await statusFor(dev.url, host, "/ok"), host).toBe(200);
  }
});

test("a separate agent server that listens beyond loopback responds to any name", async () => {
  await using dev = await startDev("0.0.0.0");
  expect(await statusFor(dev.url, "dev.example", "/ok")).toBe(200);
});
