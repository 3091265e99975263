import { expect, test } from "vitest";
import { startForTest } from "../../kit/mock-server/api.ts";

test("secrets in the query of a URL aren't in the journal, in any header or body", async () => {
  await using mock = await startForTest();
  const names = ["api_key", "access_token", "client_secret", "code", "password", "token", "X-Api-Key"];
  for (const name of names) await fetch(`${mock.url}/v2/deployments?limit=1&${name}=hidden-value`);
  const { oauth } = (await mock.cloud("GET", "/_mock/info")).body;
  const provider = { provider_id: "p", name: "P", uses_pkce: true, ...oauth };
  await mock.cloud("POST", "/v2/auth/providers", provider);
  const authentication = { provider: "p", scopes: ["read"], user_id: "alice" };
  const { body: begun } = await mock.cloud("POST", "/v2/auth/authenticate", authentication);
  const consent = new URL(begun.url);
  const form = new URLSearchParams([...consent.searchParams, ["decision", "allow"], ["subject", "alice"]]);
  const given = await fetch(consent.origin + consent.pathname, { method: "POST", body: form, redirect: "manual" });
  const code = new URL(given.headers.get("location") ?? "").searchParams.get("code") ?? "";
  expect(code).not.toBe("");
  await fetch(given.headers.get("location") ?? "");

  const journal = JSON.stringify(mock.requests());
  expect(journal).not.toContain("hidden-value");
  expect(journal).not.toContain(code);
  expect(journal).toContain("/v2/deployments?limit=1&api_key=[redacted]");
});
