import type { Prober } from "./prober.ts";

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const alice = bearer("tok-alice");
const bob = bearer("tok-bob");
const studio = { "x-auth-scheme": "langsmith", "x-api-key": "anything" };
const who = { assistant_id: "who", input: {} };
const trivial = { assistant_id: "trivial", input: {} };

/** A server with auth handlers: whom it admits, and who owns what. */
export async function probeAuth({ record }: Prober): Promise<void> {
  await record("auth-ok", "GET", "/ok");
  await record("auth-info", "GET", "/info");
  await record("auth-none", "POST", "/threads", {});
  await record("auth-none-404", "GET", "/nope");
  await record("auth-none-stream", "POST", "/runs/stream", trivial);
  await record("auth-hdr", "POST", "/threads", {}, bearer("hdr"));
  await record("auth-crash", "POST", "/threads", {}, bearer("boom"));
  await record("auth-badreturn", "POST", "/threads", {}, bearer("bad"));
  await record("auth-string", "POST", "/threads", {}, bearer("str"));

  const { thread_id: id } = await record("auth-alice-create", "POST", "/threads", { metadata: { x: 1 } }, alice);
  const path = `/threads/${id}`;
  await record("auth-alice-get", "GET", path, undefined, alice);
  await record("auth-bob-get", "GET", path, undefined, bob);
  await record("auth-bob-delete", "DELETE", path, undefined, bob);
  await record("auth-bob-patch", "PATCH", path, { metadata: { z: 1 } }, bob);
  await record("auth-bob-run", "POST", `${path}/runs`, trivial, bob);
  await record("auth-bob-stream", "POST", `${path}/runs/stream`, trivial, bob);
  await record("auth-alice-search", "POST", "/threads/search", {}, alice);
  await record("auth-bob-search", "POST", "/threads/search", {}, bob);
  await record("auth-alice-run", "POST", `${path}/runs/wait`, who, alice);
  await record("auth-bob-dup", "POST", "/threads", { thread_id: id, if_exists: "do_nothing" }, bob);

  const assistant = await record("auth-alice-asst-create", "POST", "/assistants", { graph_id: "trivial" }, alice);
  const assistantPath = `/assistants/${assistant?.assistant_id}`;
  await record("auth-bob-asst-get", "GET", assistantPath, undefined, bob);
  await record("auth-alice-asst-delete", "DELETE", assistantPath, undefined, alice);
  await record("auth-alice-asst-system", "GET", "/assistants/trivial", undefined, alice);
  await record("auth-alice-asst-search", "POST", "/assistants/search", {}, alice);
  await record("auth-store-search", "POST", "/store/items/search", { namespace_prefix: ["a"] }, alice);
  await record("auth-store-put", "PUT", "/store/items", { namespace: ["a"], key: "k", value: {} }, alice);

  await record("auth-studio", "POST", "/threads/search", {}, studio);
  await record("auth-studio-create", "POST", "/threads", {}, studio);
  await record("auth-studio-get", "GET", path, undefined, studio);
  await record("auth-studio-run", "POST", "/runs/wait", who, studio);
}

/** A server whose developer interface can't bypass the auth handlers. */
export async function probeClosedAuth({ record }: Prober): Promise<void> {
  await record("auth-studio-disabled", "POST", "/threads/search", {}, studio);
}
