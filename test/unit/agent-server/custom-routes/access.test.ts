import { expect, test } from "vitest";
import { startConfigured } from "../../../kit/agent-server/compiled/configured-project.ts";

const auth = { path: "./auth.ts:auth" };
const app = "./app.ts:app";
const ada = { "x-user": "ada" };

/** The status of a response, and whether the app's middleware was around it. */
async function outcome(url: string, headers: Record<string, string> = {}, method = "GET") {
  const response = await fetch(url, { method, headers });
  await response.text();
  return [response.status, response.headers.has("x-wrapped") ? "wrapped" : "bare"];
}

test("by default the app's routes need no user, and its middleware runs before the auth handlers", async () => {
  await using agent = await startConfigured({ keys: { auth, http: { app } } });
  expect((await agent.call("GET", "/user")).body).toEqual({ auth: null });
  expect(await outcome(`${agent.url}/assistants/agent`)).toEqual([401, "wrapped"]);
  expect(await outcome(`${agent.url}/assistants/agent`, ada)).toEqual([200, "wrapped"]);
  expect(await outcome(`${agent.url}/nowhere`)).toEqual([401, "wrapped"]);
  expect(await outcome(`${agent.url}/ok`)).toEqual([200, "wrapped"]);
});

test("with auth_first the auth handlers run before the middleware, which gets the user", async () => {
  const files = {
    "reporting.ts": `
      import { Hono } from "hono";
      export const app = new Hono();
      app.use(async (c, next) => {
        await next();
        c.res.headers.set("x-wrapped", JSON.stringify(c.get("auth")?.user.identity ?? null));
      });`,
  };
  const http = { app: "./reporting.ts:app", middleware_order: "auth_first" };
  await using agent = await startConfigured({ keys: { auth, http }, files });
  expect(await outcome(`${agent.url}/assistants/agent`)).toEqual([401, "bare"]);
  const admitted = await fetch(`${agent.url}/assistants/agent`, { headers: ada });
  expect([admitted.status, admitted.headers.get("x-wrapped")]).toEqual([200, '"ada"']);
  expect(await outcome(`${agent.url}/nowhere`)).toEqual([401, "bare"]);
});

test("with auth_first the routes that need no user still need none", async () => {
  await using agent = await startConfigured({ keys: { auth, http: { app, middleware_order: "auth_first" } } });
  for (const path of ["/ok", "/docs", "/openapi.json"]) {
    expect([path, ...(await outcome(agent.url + path))]).toEqual([path, 200, "wrapped"]);
  }
  expect(await outcome(`${agent.url}/user`)).toEqual([200, "wrapped"]);
});

test("with enable_custom_route_auth the app's routes need a user, which they get", async () => {
  await using agent = await startConfigured({ keys: { auth, http: { app, enable_custom_route_auth: true } } });
  expect(await outcome(`${agent.url}/user`)).toEqual([401, "bare"]);
  expect(await outcome(`${agent.url}/nowhere`)).toEqual([401, "bare"]);
  expect(await outcome(`${agent.url}/info`)).toEqual([401, "bare"]);
  expect(await outcome(`${agent.url}/ok`)).toEqual([200, "wrapped"]);
  const { body } = await agent.call("GET", "/user", undefined, ada);
  expect(body.auth).toMatchObject({ user: { identity: "ada" }, scopes: ["all"] });
});

test("a header that middleware sets counts for the auth handlers behind it", async () => {
  const files = {
    "signing.ts": `
      import { Hono } from "hono";
      export const app = new Hono();
      app.use("/assistants/*", async (c, next) => {
        c.req.raw.headers.set("x-user", "ada");
        await next();
      });`,
  };
  await using agent = await startConfigured({ keys: { auth, http: { app: "./signing.ts:app" } }, files });
  expect((await agent.call("GET", "/assistants/agent")).status).toBe(200);
  expect((await agent.call("POST", "/threads", {})).status).toBe(401);
});

test("a request of a route that the app passes on is authenticated once", async () => {
  const files = {
    "counting-auth.ts": `
      let count = 0;
      export const auth = {
        authenticate() {
          return { identity: "user " + ++count };
        },
      };`,
  };
  const http = { app, middleware_order: "auth_first", enable_custom_route_auth: true };
  await using agent = await startConfigured({ keys: { auth: { path: "./counting-auth.ts:auth" }, http }, files });
  for (const path of ["/assistants/agent", "/threads/00000000-0000-4000-8000-000000000001"])
    await agent.call("GET", path);
  const { body } = await agent.call("GET", "/user");
  expect(body.auth.user.identity).toBe("user 3");
});

test("WebSockets don't pass through the app", async () => {
  await using agent = await startConfigured({ keys: { http: { app } } });
  const socket = new WebSocket(`${agent.url.replace("http", "ws")}/nowhere`, { headers: { "x-stop": "1" } } as never);
  const failed = await new Promise<string>((resolve) => {
    socket.addEventListener("error", () => resolve("failed"));
    socket.addEventListener("open", () => resolve("open"));
  });
  expect(failed).toBe("failed");
});
