import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { apiOf, startForTest } from "../../kit/mock-server/api.ts";
import { decide } from "../../kit/mock-server/user-agent.ts";

const verifier = "a-code-verifier-that-is-long-enough-for-the-standard";
const challenge = createHash("sha256").update(verifier).digest("base64url");
const redirectUri = "http://127.0.0.1:9/back";

/** A server and a registered client. */
async function startWithClient(metadata: object = {}) {
  const mock = await startForTest();
  const body = { redirect_uris: [redirectUri], token_endpoint_auth_method: "none", ...metadata };
  const { body: client } = await apiOf(mock.url)("POST", "/oauth/register", body);
  const authorizeUrl = (changes: Record<string, string | undefined> = {}) => {
    const url = new URL(`${mock.url}/oauth/authorize`);
    const all = {
      response_type: "code",
      client_id: client.client_id as string,
      redirect_uri: redirectUri,
      scope: "read",
      state: "the-state",
      code_challenge: challenge,
      code_challenge_method: "S256",
      ...changes,
    };
    for (const [name, value] of Object.entries(all)) if (value !== undefined) url.searchParams.set(name, value);
    return url.href;
  };
  const token = async (fields: Record<string, string>) => {
    const body = new URLSearchParams({ client_id: client.client_id, ...fields });
    const response = await fetch(`${mock.url}/oauth/token`, { method: "POST", body });
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as Record<string, string>,
    };
  };
  const newCode = async () => (await decide(authorizeUrl())).searchParams.get("code") as string;
  const redeem = (code: string, changes: Record<string, string> = {}) =>
    token({ grant_type: "authorization_code", code, redirect_uri: redirectUri, code_verifier: verifier, ...changes });
  return Object.assign(mock, { client, authorizeUrl, token, newCode, redeem });
}

test("the provider publishes its metadata at the issuer's well-known path", async () => {
  await using mock = await startForTest();
  const { body } = await apiOf(mock.url)("GET", "/.well-known/oauth-authorization-server/oauth");
  expect(body).toMatchObject({ issuer: `${mock.url}/oauth`, code_challenge_methods_supported: ["S256"] });
});

test("a code is exchanged once; a second exchange revokes its tokens", async () => {
  await using mock = await startWithClient();
  const code = await mock.newCode();
  const first = await mock.redeem(code);
  expect(first).toMatchObject({ status: 200, body: { token_type: "Bearer", expires_in: 3600, scope: "read" } });
  expect(first.headers.get("cache-control")).toBe("no-store");
  expect(await mock.redeem(code)).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
  const refresh = { grant_type: "refresh_token", refresh_token: first.body.refresh_token as string };
  expect((await mock.token(refresh)).body.error).toBe("invalid_grant");
});

test("a refresh token is replaced; using the old one again ends the grant", async () => {
  await using mock = await startWithClient();
  const { body: first } = await mock.redeem(await mock.newCode());
  const refresh = (token: unknown) => mock.token({ grant_type: "refresh_token", refresh_token: String(token) });
  const { body: second } = await refresh(first.refresh_token);
  expect(second.access_token).not.toBe(first.access_token);
  expect((await refresh(first.refresh_token)).body.error).toBe("invalid_grant");
  expect((await refresh(second.refresh_token)).body.error).toBe("invalid_grant");
});

test.each([
  ["another verifier", { code_verifier: "x".repeat(43) }, "invalid_grant"],
  ["another redirect URI", { redirect_uri: "http://127.0.0.1:9/other" }, "invalid_grant"],
  ["another client", { client_id: "unknown" }, "invalid_client"],
  ["another grant type", { grant_type: "password" }, "unsupported_grant_type"],
  ["no grant type", { grant_type: "" }, "invalid_request"],
])("a code isn't exchanged with %s", async (_, changes, error) => {
  await using mock = await startWithClient();
  expect((await mock.redeem(await mock.newCode(), changes)).body.error).toBe(error);
});

test("a code expires after a minute of the server's clock", async () => {
  await using mock = await startWithClient();
  const code = await mock.newCode();
  mock.clock.advance("61s");
  expect((await mock.redeem(code)).body).toMatchObject({ error: "invalid_grant" });
});

test("a client with a secret must send it", async () => {
  await using mock = await startWithClient({ token_endpoint_auth_method: "client_secret_post" });
  const code = await mock.newCode();
  expect(await mock.redeem(code)).toMatchObject({ status: 401, body: { error: "invalid_client" } });
  expect((await mock.redeem(code, { client_secret: mock.client.client_secret })).status).toBe(200);
});

test.each([
  ["an unknown client", { client_id: "unknown" }],
  ["a redirect URI that isn't registered", { redirect_uri: "https://evil.example/" }],
  ["a redirect URI that only begins like it", { redirect_uri: `${redirectUri}/more` }],
  ["no redirect URI", { redirect_uri: undefined }],
])("a request with %s never gets a redirect", async (_, changes) => {
  await using mock = await startWithClient();
  const response = await fetch(mock.authorizeUrl(changes), { redirect: "manual" });
  expect([response.status, response.headers.get("location")]).toEqual([400, null]);
});

test.each([
  ["no challenge", { code_challenge: undefined }, "invalid_request"],
  ["a plain challenge", { code_challenge_method: "plain" }, "invalid_request"],
  ["a challenge that is none", { code_challenge: "short" }, "invalid_request"],
  ["another response type", { response_type: "token" }, "unsupported_response_type"],
])("a request with %s is redirected back with an error", async (_, changes, error) => {
  await using mock = await startWithClient();
  const response = await fetch(mock.authorizeUrl(changes), { redirect: "manual" });
  const location = new URL(response.headers.get("location") as string);
  expect(location.searchParams.get("error")).toBe(error);
  expect(location.searchParams.get("state")).toBe("the-state");
});

test("a user may deny access", async () => {
  await using mock = await startWithClient();
  const { searchParams } = await decide(mock.authorizeUrl(), "deny");
  expect(searchParams.get("error")).toBe("access_denied");
  expect(searchParams.get("code")).toBeNull();
});

test("the built-in client may only redirect to this server's callbacks", async () => {
  await using mock = await startWithClient();
  const status = async (uri: string) => {
    const url = mock.authorizeUrl({ client_id: "mock-client", redirect_uri: uri });
    return (await fetch(url, { redirect: "manual" })).status;
  };
  expect(await status(`${mock.url}/v2/auth/callback/any`)).toBe(200);
  expect(await status(`${mock.url}/v2/auth/callback/../../docs`)).toBe(400);
  expect(await status("https://evil.example/v2/auth/callback/any")).toBe(400);
});

test.each([
  ["no redirect URI", { redirect_uris: [] }],
  ["a redirect URI without encryption", { redirect_uris: ["http://host.example/"] }],
  ["a redirect URI that runs code", { redirect_uris: ["javascript:alert(1)"] }],
  ["a redirect URI with a fragment", { redirect_uris: ["https://host.example/#x"] }],
])("a client with %s isn't registered", async (_, metadata) => {
  await using mock = await startForTest();
  const response = await apiOf(mock.url)("POST", "/oauth/register", metadata);
  expect(response.status).toBe(400);
  expect(response.body.error).toMatch(/^invalid_/);
});
