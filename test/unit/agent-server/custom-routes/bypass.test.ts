import { request } from "node:http";
import { expect, test } from "vitest";
import { startConfigured } from "../../../kit/agent-server/compiled/configured-project.ts";

const auth = { path: "./auth.ts:auth" };
const files = {
  "guarding.ts": `
    import { Hono } from "hono";
    export const app = new Hono();
    app.use("/threads/*", (c, next) => (c.req.header("x-pass") ? next() : c.text("stopped", 403)));
    app.mount("/mounted", () => new Response("mounted"));
    app.mount("/store/mounted", () => new Response("mounted"));
    app.all("/runs/all", async (c, next) => c.text("of the app"));
    app.get("/query", (c) => c.text(new URL(c.req.url).search));
    app.post("/any/*", (c) => c.text("any"));
    app.post("/internal/*", (c) => c.text("any"));`,
};
const app = "./guarding.ts:app";

/** The status of a response to a path as given, without what `fetch` changes in it. */
function statusOf(base: string, path: string, method = "GET", headers: Record<string, string> = {}): Promise<number> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers });
    sent.once("response", (response) => resolve(response.resume().statusCode ?? 0));
    sent.once("upgrade", (response, socket) => resolve(socket.destroy() && (response.statusCode ?? 0)));
    sent.once("error", reject);
    sent.end();
  });
}

test("a header that asks for a WebSocket doesn't lead past middleware", async () => {
  await using agent = await startConfigured({ keys: { http: { app } }, files });
  const upgrade = { upgrade: "websocket" };
  for (const headers of [upgrade, { ...upgrade, connection: "Upgrade" }]) {
    expect(await statusOf(agent.url, "/threads/search", "POST", headers)).toBe(403);
    expect(await statusOf(agent.url, "/threads/00000000-0000-4000-8000-000000000001", "GET", headers)).toBe(403);
  }
});

test("a WebSocket needs the header that says so, too", async () => {
  await using agent = await startConfigured({ keys: {} });
  const { body: thread } = await agent.call("POST", "/threads", {});
  const path = `/threads/${thread.thread_id}/stream/events`;
  expect(await statusOf(agent.url, path, "GET", { upgrade: "websocket" })).toBe(426);
});

test.each([
  "/mounted/x",
  "/store/mounted/x",
  "/runs/all",
  "/threads/../mounted/x",
  "/docs/../mounted/x",
  "/ui/../runs/all",
])("enable_custom_route_auth guards %s, whose handler could pass the request on", async (path) => {
  await using agent = await startConfigured({ keys: { auth, http: { app, enable_custom_route_auth: true } }, files });
  expect(await statusOf(agent.url, path)).toBe(401);
  expect(await statusOf(agent.url, path, "GET", { "x-user": "ada" })).toBe(200);
});

test("with auth_first dot segments don't lead past the auth handlers", async () => {
  await using agent = await startConfigured({ keys: { auth, http: { app, middleware_order: "auth_first" } }, files });
  expect(await statusOf(agent.url, "/docs/../store/mounted/x")).toBe(401);
});

test("the app gets the query as it was sent", async () => {
  await using agent = await startConfigured({ keys: { http: { app } }, files });
  for (const search of ["?a", "?a=b%20c&%ff", ""]) {
    expect(await (await fetch(`${agent.url}/query${search}`)).text()).toBe(search);
  }
});

test.each(["/internal/truncate", "/%69nternal/truncate", "//[", "/\\", "//host/any/x", "/api//[", "/api/internal/x"])(
  "a webhook to %s is refused, whatever routes the app has",
  async (webhook) => {
    await using agent = await startConfigured({ keys: { http: { app, mount_prefix: "/api" } }, files });
    const body = { assistant_id: "agent", input: { text: "a" }, webhook };
    expect(await agent.call("POST", "/api/runs/wait", body)).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining("no route of the project's app") },
    });
  },
);
