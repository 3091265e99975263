import { once } from "node:events";
import { createServer, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { startMockServer } from "../../../mock-server/server.ts";
import { apiOf, githubBody } from "../../kit/mock-server/api.ts";
import { graphConfig, graphFile, tarball } from "../../kit/mock-server/tarball.ts";
import { consent } from "../../kit/mock-server/user-agent.ts";

/** A proxy that serves the server behind it under `/x`, without any forwarding header. */
async function startProxy(target: () => string): Promise<AsyncDisposable & { url: string }> {
  const server = createServer((request, response) => {
    if (!request.url?.startsWith("/x/")) return void response.writeHead(404).end();
    const { method, headers } = request;
    const onward = send(target() + request.url.slice(2), { method, headers }, (forwarded) => {
      response.writeHead(forwarded.statusCode ?? 502, forwarded.headers);
      forwarded.pipe(response);
    });
    request.pipe(onward);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/x`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A server behind such a proxy, and a client of the proxy. */
async function startBehindProxy() {
  let target = "";
  const proxy = await startProxy(() => target);
  const mock = await startMockServer({ port: 0, transitions: "immediate", publicUrl: `${proxy.url}/` });
  target = mock.url;
  return {
    proxy: proxy.url,
    call: apiOf(proxy.url),
    async [Symbol.asyncDispose]() {
      await mock.close();
      await proxy[Symbol.asyncDispose]();
    },
  };
}

test("behind a proxy that strips a prefix, a deployment's address leads to its agent server", async () => {
  await using server = await startBehindProxy();
  const { body } = await server.call("POST", "/v2/deployments", githubBody());
  const url = body.source_config.custom_url;
  expect(url).toBe(`${server.proxy}/agents/${body.id}`);
  expect((await apiOf(url)("POST", "/threads", {})).status).toBe(200);
});

test("behind a proxy that strips a prefix, an upload URL accepts the tarball", async () => {
  await using server = await startBehindProxy();
  const deployment = {
    name: "a",
    source: "internal_source",
    source_config: {},
    source_revision_config: {},
    secrets: [],
  };
  const { id } = (await server.call("POST", "/v2/deployments", deployment)).body;
  const { upload_url: url } = (await server.call("POST", `/v2/deployments/${id}/upload-url`)).body;
  expect(url.startsWith(`${server.proxy}/uploads/`)).toBe(true);
  const body = new Uint8Array(tarball([graphConfig, graphFile]));
  expect((await fetch(url, { method: "PUT", body })).status).toBe(200);
});

test("behind a proxy that strips a prefix, a user allows access, and an MCP server is discovered", async () => {
  await using server = await startBehindProxy();
  const { oauth } = (await server.call("GET", "/_mock/info")).body;
  const { mcp_server_url: mcp, ...client } = oauth;
  await server.call("POST", "/v2/auth/providers", { provider_id: "crm", name: "CRM", uses_pkce: true, ...client });
  const discovered = { provider_id: "mcp", name: "MCP", mcp_server_url: mcp };
  expect((await server.call("POST", "/v2/auth/providers/mcp-discover", discovered)).status).toBe(200);
  for (const provider of ["crm", "mcp"]) {
    const authentication = { provider, scopes: ["read"], user_id: "alice" };
    const { url } = (await server.call("POST", "/v2/auth/authenticate", authentication)).body;
    const page = await consent(url);
    expect(page).toMatchObject({ status: 200, text: expect.stringContaining("You are connected") });
    expect(page.location.href.startsWith(`${server.proxy}/v2/auth/callback/${provider}?`)).toBe(true);
    expect((await server.call("POST", "/v2/auth/authenticate", authentication)).body.status).toBe("completed");
  }
});

test.each(["", "/api-host"])(
  "behind a proxy that strips a prefix, the description%s names its own address",
  async (edition) => {
    await using server = await startBehindProxy();
    const { body } = await server.call("GET", `${edition}/openapi.json`);
    expect(new URL(`${body.servers[0].url}/v2/deployments`, `${server.proxy}${edition}/openapi.json`).href).toBe(
      `${server.proxy}${edition}/v2/deployments`,
    );
  },
);

test.each(["ftp://a", "nonsense", "http://a/?b", "http://a/#b", "http://user:word@a"])(
  "the public URL %s is refused",
  async (publicUrl) => {
    await expect(startMockServer({ port: 0, publicUrl })).rejects.toThrow("A public URL");
  },
);
