import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import type { MockServer, MockServerOptions } from "../../../mock-server/server.ts";
import { mcpOf } from "../../kit/agent-server/mcp.ts";
import { type Api, apiOf, startForTest } from "../../kit/mock-server/api.ts";
import { consent, decide } from "../../kit/mock-server/user-agent.ts";

type TestServer = MockServer & { cloud: Api; selfHosted: Api };

const alice = { provider: "built-in", scopes: ["read"], user_id: "alice" };

/** A server with a provider that points to the built-in OAuth server. */
async function startWithProvider(options: MockServerOptions = {}, changes: object = {}): Promise<TestServer> {
  const mock = await startForTest(options);
  await createProvider(mock, changes);
  return mock;
}

async function createProvider(mock: TestServer, changes: object = {}, headers: Record<string, string> = {}) {
  const { oauth } = (await mock.cloud("GET", "/_mock/info")).body;
  const { mcp_server_url: _, ...client } = oauth;
  const body = { provider_id: "built-in", name: "Built-in", uses_pkce: true, ...client, ...changes };
  return mock.cloud("POST", "/v2/auth/providers", body, headers);
}

const authenticate = (mock: TestServer, changes: object = {}, headers: Record<string, string> = {}) =>
  mock.cloud("POST", "/v2/auth/authenticate", { ...alice, ...changes }, headers);

test("a user allows access once, and gets the token from then on without a prompt", async () => {
  await using mock = await startWithProvider();
  const { body: begun } = await authenticate(mock);
  expect(begun).toMatchObject({ status: "pending", url: expect.any(String), auth_id: expect.any(String) });
  const page = await consent(begun.url);
  expect(page).toMatchObject({ status: 200, text: expect.stringContaining("You are connected to Built-in") });
  const { body: waited } = await mock.cloud("GET", `/v2/auth/wait/${begun.auth_id}`);
  expect(waited).toMatchObject({ status: "completed", token: expect.any(String) });
  const { body: again } = await authenticate(mock);
  expect(again).toMatchObject({ status: "completed", token: waited.token, user_id: "alice" });
  expect((await authenticate(mock, { user_id: "bob" })).body.status).toBe("pending");
  expect((await authenticate(mock, { scopes: ["read", "write"] })).body.status).toBe("pending");
  expect((await authenticate(mock, { force_new: true })).body.status).toBe("pending");
});

test("the flow works in the self-hosted edition, without PKCE and with Basic authentication", async () => {
  await using mock = await startForTest();
  const { oauth } = (await mock.cloud("GET", "/_mock/info")).body;
  const { mcp_server_url: _, ...client } = oauth;
  const body = { provider_id: "p", name: "P", ...client, token_endpoint_auth_method: "client_secret_basic" };
  expect((await mock.selfHosted("POST", "/v2/auth/providers", body)).body).toMatchObject({ uses_pkce: false });
  const { body: begun } = await mock.selfHosted("POST", "/v2/auth/authenticate", { ...alice, provider: "p" });
  const { status, location } = await consent(begun.url);
  expect(location.pathname).toBe("/api-host/v2/auth/callback/p");
  expect(status).toBe(200);
});

test("a wait ends when the user has decided", async () => {
  await using mock = await startWithProvider();
  const { body: begun } = await authenticate(mock);
  const waiting = mock.cloud("GET", `/v2/auth/wait/${begun.auth_id}?timeout=30`);
  await consent(begun.url);
  expect((await waiting).body.status).toBe("completed");
});

test("a wait for an authentication that is another caller's, expired or refused finds nothing, and a pending one times out", async () => {
  await using mock = await startWithProvider();
  const wait = async (id: string, headers = {}) =>
    (await mock.cloud("GET", `/v2/auth/wait/${id}?timeout=0`, undefined, headers)).body.status;
  expect(await wait("unknown")).toBe("not_found");
  const { body: begun } = await authenticate(mock);
  expect(await wait(begun.auth_id)).toBe("timeout");
  expect(await wait(begun.auth_id, { "x-tenant-id": "other" })).toBe("not_found");
  expect(await wait(begun.auth_id, { "x-api-key": "another-key" })).toBe("not_found");
  const { body: refused } = await authenticate(mock);
  const page = await consent(refused.url, "deny");
  expect(page).toMatchObject({ status: 400, text: expect.stringContaining("denied") });
  expect(await wait(refused.auth_id)).toBe("not_found");
  mock.clock.advance("11m");
  expect(await wait(begun.auth_id)).toBe("not_found");
});

test("a state is valid for one callback, of its own provider, until it expires", async () => {
  await using mock = await startWithProvider();
  await createProvider(mock, { provider_id: "other" });
  const { body: begun } = await authenticate(mock);
  const back = await decide(begun.url);
  const callback = async (change: (url: URL) => void) => {
    const url = new URL(back);
    change(url);
    const response = await fetch(url);
    return [response.status, await response.text()] as const;
  };
  const state = back.searchParams.get("state") as string;
  const set = (value: string) => (url: URL) => url.searchParams.set("state", value);
  expect(await callback(set("forged"))).toEqual([400, expect.stringContaining("isn&#39;t signed by this server")]);
  expect((await callback(set(`${begun.auth_id}.${"A".repeat(43)}`)))[0]).toBe(400);
  expect((await callback((url) => url.searchParams.delete("state")))[0]).toBe(400);
  const wrong = (url: URL) => {
    url.pathname = url.pathname.replace("built-in", "other");
  };
  expect(await callback(wrong)).toEqual([400, expect.stringContaining("belongs to no authentication")]);
  expect((await callback(set(state)))[0]).toBe(200);
  expect(await callback(set(state))).toEqual([400, expect.stringContaining("used already")]);
  const { body: late } = await authenticate(mock, { force_new: true });
  const lateBack = await decide(late.url);
  mock.clock.advance("11m");
  expect(await (await fetch(lateBack)).text()).toContain("expired");
});

test("a callback received by another page can be completed with a key of the same workspace", async () => {
  await using mock = await startWithProvider();
  const { body: begun } = await authenticate(mock);
  const back = await decide(begun.url);
  const body = { code: back.searchParams.get("code"), state: back.searchParams.get("state") };
  const path = "/v2/auth/callback/built-in";
  expect((await mock.cloud("POST", path, body, { "x-tenant-id": "other" })).status).toBe(400);
  expect((await mock.cloud("POST", path, body, { "x-api-key": "" })).status).toBe(401);
  expect((await mock.cloud("POST", path, { code: body.code })).status).toBe(422);
  expect((await mock.cloud("POST", path, body)).body).toEqual({ status: "completed", provider_id: "built-in" });
});

test("parameters of the callback are shown as text and don't redirect the browser", async () => {
  await using mock = await startWithProvider();
  const { body: begun } = await authenticate(mock);
  const { searchParams } = await decide(begun.url);
  const query = new URLSearchParams({
    state: searchParams.get("state") as string,
    error: "x",
    error_description: "<script>alert(1)</script>",
    redirect_uri: "https://evil.example",
  });
  const response = await fetch(`${mock.url}/v2/auth/callback/built-in?${query}`, { redirect: "manual" });
  const text = await response.text();
  expect(response.headers.get("location")).toBeNull();
  expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(text).not.toContain("<script>");
  expect(text).toContain("&#60;script&#62;");
});

test("the setup callback only confirms an update, and handles an installation like a callback", async () => {
  await using mock = await startWithProvider();
  const update = await fetch(`${mock.url}/v2/auth/setup/built-in?setup_action=update&installation_id=7`);
  expect([update.status, await update.text()]).toEqual([200, expect.stringContaining("installation was changed")]);
  const { body: begun } = await authenticate(mock);
  const back = await decide(begun.url);
  back.pathname = back.pathname.replace("callback", "setup");
  expect((await fetch(`${back}&setup_action=install&installation_id=7`)).status).toBe(200);
  expect((await fetch(`${mock.url}/v2/auth/setup/built-in?installation_id=seven`)).status).toBe(422);
});

test("an expired token is renewed, and one that can't be renewed requires a new authentication", async () => {
  await using mock = await startWithProvider();
  await consent((await authenticate(mock)).body.url);
  const { body: first } = await authenticate(mock);
  mock.clock.advance("2h");
  const { body: renewed } = await authenticate(mock);
  expect(renewed.status).toBe("completed");
  expect(renewed.token).not.toBe(first.token);
  mock.clock.advance("2h");
  mock.faults.add({ match: { path: "/oauth/token" }, effect: { status: 400, body: { error: "invalid_grant" } } });
  const { body: expired } = await authenticate(mock);
  expect(expired).toMatchObject({ status: "token_expired", url: expect.any(String), auth_id: expect.any(String) });
  expect(expired.token).toBeUndefined();
});

test("two requests for an expired token renew it once", async () => {
  await using mock = await startWithProvider();
  await consent((await authenticate(mock)).body.url);
  mock.clock.advance("2h");
  const responses = await Promise.all([authenticate(mock), authenticate(mock)]);
  expect(responses.map(({ body }) => body.status)).toEqual(["completed", "completed"]);
  expect(responses[0].body.token).toBe(responses[1].body.token);
});

test("changes of a token during its renewal are kept", async () => {
  await using mock = await startWithProvider();
  await consent((await authenticate(mock)).body.url);
  const list = async () => (await mock.cloud("GET", "/v2/auth/tokens")).body;
  const [{ id }] = await list();
  const duringRenewal = async (method: string, path: string, body?: object) => {
    mock.clock.advance("2h");
    mock.faults.add({ match: { path: "/oauth/token" }, times: 1, effect: { latency: "300ms" } });
    const renewed = authenticate(mock);
    await setTimeout(100);
    await mock.cloud(method, path, body);
    await renewed;
  };
  await duringRenewal("PATCH", `/v2/auth/tokens/${id}/metadata`, { provider_account_label: "work" });
  expect(await list()).toMatchObject([{ id, provider_account_label: "work" }]);
  await duringRenewal("DELETE", `/v2/auth/tokens/${id}`);
  expect(await list()).toEqual([]);
});

test("a token that stopped being the default before its renewal doesn't become the default again", async () => {
  await using mock = await startWithProvider();
  await consent((await authenticate(mock)).body.url);
  mock.clock.advance("2h");
  mock.faults.add({ match: { path: "/oauth/token" }, times: 1, effect: { latency: "300ms" } });
  const renewed = authenticate(mock);
  await setTimeout(100);
  await consent((await authenticate(mock, { force_new: true, is_default: true })).body.url);
  await renewed;
  const { body } = await mock.cloud("GET", "/v2/auth/tokens");
  expect(body.map(({ is_default }: { is_default: boolean }) => is_default)).toEqual([true, false]);
});

test("an agent gets a token only once it is connected to it", async () => {
  await using mock = await startWithProvider();
  await consent((await authenticate(mock)).body.url);
  const { body: pending } = await authenticate(mock, { agent_id: "agent-1" });
  expect(pending).toMatchObject({ status: "connection_required", metadata: { token_ids: [expect.any(String)] } });
  const path = "/v2/auth/agents/agent-1/connections";
  const body = { oauth_token_id: pending.metadata.token_ids[0] };
  const made = await mock.cloud("POST", path, body);
  expect(made).toMatchObject({ status: 201, body: { agent_id: "agent-1", provider_id: "built-in", scopes: ["read"] } });
  expect((await mock.cloud("POST", path, body)).body.id).toBe(made.body.id);
  expect((await mock.cloud("GET", path)).body.data).toEqual([made.body]);
  expect((await authenticate(mock, { agent_id: "agent-1" })).body.status).toBe("completed");
  expect((await mock.cloud("DELETE", `${path}/${made.body.id}`, undefined, { "x-tenant-id": "x" })).status).toBe(404);
  expect((await mock.cloud("DELETE", `${path}/${made.body.id}`)).status).toBe(204);
  expect((await mock.cloud("DELETE", `${path}/${made.body.id}`)).status).toBe(404);
  expect((await mock.cloud("POST", path, { oauth_token_id: "unknown" })).status).toBe(404);
});

test("every key of a workspace uses a user's token, and only the key that asked for it manages it", async () => {
  await using mock = await startWithProvider();
  await createProvider(mock, { provider_id: "other" });
  await consent((await authenticate(mock)).body.url);
  const [{ id }] = (await mock.cloud("GET", "/v2/auth/tokens")).body;
  const another = { "x-api-key": "another-key" };
  const { token } = (await authenticate(mock)).body;
  expect((await authenticate(mock, {}, another)).body).toMatchObject({ status: "completed", token });
  expect((await authenticate(mock, { token_id: id }, another)).body).toMatchObject({ status: "completed", token });
  const path = "/v2/auth/agents/agent-1/connections";
  expect((await mock.cloud("POST", path, { oauth_token_id: id }, another)).status).toBe(201);
  expect((await authenticate(mock, { token_id: id, user_id: "bob" })).status).toBe(404);
  expect((await authenticate(mock, { token_id: id, provider: "other" })).status).toBe(404);
  expect((await authenticate(mock, { token_id: id }, { "x-tenant-id": "other" })).status).toBe(404);
  expect((await authenticate(mock, { token_id: id, scopes: ["write"] })).body.status).toBe("pending");
  expect((await mock.cloud("GET", "/v2/auth/tokens", undefined, another)).body).toEqual([]);
  expect((await mock.cloud("DELETE", `/v2/auth/tokens/${id}`, undefined, another)).status).toBe(404);
});

test("a user is identified by user_id, or by ls_user_id if that is empty", async () => {
  await using mock = await startWithProvider();
  await consent((await authenticate(mock)).body.url);
  const asLsUser = { user_id: null, ls_user_id: "alice" };
  expect((await authenticate(mock, asLsUser)).body).toMatchObject({ status: "completed", user_id: "alice" });
});

test("if the user already has the token, a second agent's request gets the address at which the user connects it", async () => {
  await using mock = await startWithProvider();
  await consent((await authenticate(mock, { agent_id: "agent-1" })).body.url);
  const pending = (await authenticate(mock, { agent_id: "agent-2" })).body;
  expect(pending).toMatchObject({
    status: "connection_required",
    url: expect.any(String),
    auth_id: expect.any(String),
  });
  await consent(pending.url);
  expect((await mock.cloud("GET", `/v2/auth/wait/${pending.auth_id}`)).body.status).toBe("completed");
  expect((await authenticate(mock, { agent_id: "agent-2" })).body.status).toBe("completed");
  expect((await authenticate(mock, { agent_id: "agent-1" })).body.status).toBe("completed");
});

test("a user's consent for an agent connects the agent", async () => {
  await using mock = await startWithProvider();
  await consent((await authenticate(mock, { agent_id: "agent-2" })).body.url);
  expect((await authenticate(mock, { agent_id: "agent-2" })).body.status).toBe("completed");
});

test("tokens are listed without their values, and only their owner can label, delete or make them the default", async () => {
  await using mock = await startWithProvider();
  await consent((await authenticate(mock)).body.url);
  await consent((await authenticate(mock, { force_new: true })).body.url);
  const list = async (query = "", headers = {}) =>
    (await mock.cloud("GET", `/v2/auth/tokens${query}`, undefined, headers)).body;
  const [first, second] = await list();
  expect([first.is_default, second.is_default]).toEqual([true, false]);
  expect(JSON.stringify(first)).not.toContain((await authenticate(mock)).body.token);
  expect(await list("?provider_id=built-in")).toHaveLength(2);
  expect(await list("?provider_id=unknown")).toEqual([]);
  expect(await list("", { "x-api-key": "another-key" })).toEqual([]);
  expect(await list("", { "x-tenant-id": "other" })).toEqual([]);
  const change = { provider_account_label: "work", is_default: true };
  const path = `/v2/auth/tokens/${second.id}`;
  expect((await mock.cloud("PATCH", `${path}/metadata`, change, { "x-api-key": "another-key" })).status).toBe(404);
  expect((await mock.cloud("PATCH", `${path}/metadata`, change)).body).toMatchObject(change);
  expect((await list()).map(({ is_default }: { is_default: boolean }) => is_default)).toEqual([true, false]);
  expect((await mock.cloud("DELETE", path, undefined, { "x-api-key": "another-key" })).status).toBe(404);
  expect((await mock.cloud("DELETE", path)).status).toBe(204);
  const exists = async () => (await mock.cloud("GET", "/v2/auth/tokens/exists?provider_id=built-in")).body.has_token;
  expect(await exists()).toBe(true);
  expect((await mock.cloud("DELETE", "/v2/auth/tokens?provider_id=built-in")).body).toEqual({
    message: "1 tokens deleted.",
    provider_id: "built-in",
  });
  expect(await exists()).toBe(false);
  expect((await mock.cloud("DELETE", "/v2/auth/tokens")).status).toBe(422);
});

test("Slack is disconnected for the whole workspace at once", async () => {
  await using mock = await startWithProvider({}, { provider_type: "slack" });
  await consent((await authenticate(mock)).body.url);
  const path = "/v2/auth/tokens/workspace/slack";
  const has = async (tenant?: string) =>
    (await mock.cloud("GET", `${path}/exists`, undefined, tenant ? { "x-tenant-id": tenant } : {})).body.has_token;
  expect([await has(), await has("other")]).toEqual([true, false]);
  expect((await mock.cloud("DELETE", path)).body.message).toContain("1 Slack");
  expect(await has()).toBe(false);
});

test("a provider's client secret is in no response and not in the journal", async () => {
  await using mock = await startForTest();
  const secret = "the-client-secret";
  const made = await createProvider(mock, { client_secret: secret });
  const path = "/v2/auth/providers/built-in";
  await mock.cloud("PATCH", path, { client_secret: "a-newer-secret", name: 7 });
  const changed = await mock.cloud("PATCH", path, { client_secret: "another-secret", name: "Renamed" });
  const listed = await mock.cloud("GET", "/v2/auth/providers");
  const everything = JSON.stringify([made.body, changed.body, listed.body, mock.requests()]);
  expect(changed.body.name).toBe("Renamed");
  for (const value of [secret, "a-newer-secret", "another-secret"]) expect(everything).not.toContain(value);
});

test("tokens and codes aren't in the journal", async () => {
  await using mock = await startWithProvider();
  const { body: begun } = await authenticate(mock);
  const { location } = await consent(begun.url);
  const { body } = await authenticate(mock);
  const journal = JSON.stringify(mock.requests());
  expect(journal).not.toContain(body.token);
  expect(journal).not.toContain(location.searchParams.get("code"));
});

test("a provider is read by its name or id, and not by other workspaces", async () => {
  await using mock = await startForTest();
  const { body } = await createProvider(mock);
  const status = async (id: string, headers = {}) =>
    (await mock.cloud("GET", `/v2/auth/providers/${id}`, undefined, headers)).status;
  expect([await status("built-in"), await status(body.id)]).toEqual([200, 200]);
  expect([await status("built-in", { "x-tenant-id": "other" }), await status("unknown")]).toEqual([404, 404]);
  expect((await createProvider(mock)).status).toBe(409);
  expect((await createProvider(mock, {}, { "x-tenant-id": "other" })).status).toBe(200);
});

test("deleting a provider deletes its tokens", async () => {
  await using mock = await startWithProvider();
  await consent((await authenticate(mock)).body.url);
  expect((await mock.cloud("DELETE", "/v2/auth/providers/built-in")).body.message).toContain("deleted");
  expect((await mock.cloud("GET", "/v2/auth/tokens")).body).toEqual([]);
  expect((await authenticate(mock)).status).toBe(404);
});

test.each([
  ["no name", { name: undefined }, 422],
  ["a name that no path can hold", { provider_id: "a/b" }, 400],
  ["an address that runs code", { auth_url: "javascript:alert(1)" }, 400],
  ["an address with a password", { token_url: "https://user:pass@host.example/token" }, 400],
  ["an unknown challenge method", { code_challenge_method: "S512" }, 400],
  ["an unknown way to authenticate", { token_endpoint_auth_method: "mtls" }, 422],
  ["a name without end", { provider_id: "p".repeat(300) }, 422],
])("a provider with %s is refused", async (_, changes, status) => {
  await using mock = await startForTest();
  expect((await createProvider(mock, changes)).status).toBe(status);
});

test("a token endpoint on another host isn't called, and the user sees why", async () => {
  await using mock = await startWithProvider({}, { token_url: "http://192.0.2.1/token" });
  const page = await consent((await authenticate(mock)).body.url);
  expect(page).toMatchObject({ status: 400, text: expect.stringContaining("isn&#39;t allowed") });
});

test("a provider is discovered from an MCP server, which accepts its tokens", async () => {
  await using mock = await startForTest();
  const { oauth } = await mock.info();
  const body = { provider_id: "mcp", name: "MCP", mcp_server_url: oauth.mcp_server_url };
  const made = await mock.cloud("POST", "/v2/auth/providers/mcp-discover", body);
  expect(made).toMatchObject({
    status: 200,
    body: { is_dynamic_client: true, uses_pkce: true, token_endpoint_auth_method: "none", auth_url: oauth.auth_url },
  });
  await consent((await authenticate(mock, { provider: "mcp" })).body.url);
  const { token } = (await authenticate(mock, { provider: "mcp" })).body;
  const { send } = mcpOf(apiOf(mock.url), "/oauth/mcp");
  const whoami = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "whoami" } };
  const call = (authorization: string, body: unknown = whoami) => send(body, { authorization });
  expect((await call(`Bearer ${token}`)).body.result.content[0].text).toBe("alice@example.com");
  const { body: listed } = await call(`Bearer ${token}`, { ...whoami, method: "tools/list" });
  expect(listed.result.tools).toMatchObject([{ name: "whoami" }]);
  const { body: unknown } = await call(`Bearer ${token}`, { ...whoami, params: { name: "whoareyou" } });
  expect(unknown.error).toEqual({ code: -32602, message: "Unknown tool: whoareyou" });
  const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
  expect((await call(`Bearer ${token}`, [whoami, cancelled])).body.result.content).toHaveLength(1);
  expect(await call("Bearer wrong")).toMatchObject({ status: 401 });
  await mock.cloud("DELETE", "/v2/auth/tokens?provider_id=mcp");
  expect((await call(`Bearer ${token}`)).status).toBe(401);
});

test.each([
  ["a private address", "http://10.0.0.1/mcp", "isn't allowed"],
  ["an address of the cloud's metadata", "http://169.254.169.254/latest", "isn't allowed"],
  ["an unknown scheme", "ftp://127.0.0.1/mcp", "must be an http or https URL"],
  ["no address", "nonsense", "must be an http or https URL"],
  ["a port where nobody listens", "http://127.0.0.1:1/mcp", "can't be reached"],
])("discovery of %s fails with the reason", async (_, url, reason) => {
  await using mock = await startForTest();
  const body = { provider_id: "mcp", name: "MCP", mcp_server_url: url };
  const response = await mock.cloud("POST", "/v2/auth/providers/mcp-discover", body);
  expect(response).toMatchObject({ status: 400, body: { detail: expect.stringContaining(reason) } });
});
