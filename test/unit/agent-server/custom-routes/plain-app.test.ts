import { expect, test } from "vitest";
import { inject } from "../../../../mock-server/kit/http/inject.ts";
import type { RequestContext } from "../../../../mock-server/kit/http/request-context.ts";
import { AppRequests } from "../../../../mock-server/worker/host/app-requests.ts";
import { ProjectHttp } from "../../../../mock-server/worker/host/project-http.ts";
import { startConfigured } from "../../../kit/agent-server/compiled/configured-project.ts";

const greeter = { fixture: "greeter", keys: { http: { app: "./app.ts:app" } } };

test("an app without a table serves the paths that the server doesn't", async () => {
  await using agent = await startConfigured(greeter);
  expect((await agent.call("GET", "/hello?name=ada")).body).toEqual({ hello: "ada", method: "GET" });
  expect((await agent.call("GET", "/store/items?namespace=a&key=b")).body).toBeNull();
  const echo = await fetch(`${agent.url}/echo`, { method: "POST", body: "x".repeat(1_000_000) });
  expect([echo.status, echo.headers.get("x-echo"), (await echo.text()).length]).toEqual([201, "yes", 1_000_000]);
  const unknown = await fetch(`${agent.url}/unknown`);
  expect([unknown.status, await unknown.text()]).toEqual([404, "not mine"]);
  expect((await fetch(`${agent.url}/throws`)).status).toBe(500);
});

test("an app without a table serves the paths of a group that is turned off", async () => {
  await using agent = await startConfigured({
    ...greeter,
    keys: { http: { app: "./app.ts:app", disable_store: true } },
  });
  expect((await agent.call("GET", "/store/items")).body).toEqual({ store: "ours" });
});

const threadCommands = "/threads/00000000-0000-4000-8000-000000000001/commands";
const threadRuns = "/threads/00000000-0000-4000-8000-000000000001/runs/wait";

test.each<[key: string, operations: string[]]>([
  ["disable_assistants", ["POST /assistants/search"]],
  ["disable_threads", ["POST /threads", "POST /threads/search"]],
  ["disable_runs", ["POST /runs/wait", `POST ${threadRuns}`, "POST /runs/crons/search", `POST ${threadCommands}`]],
  ["disable_store", ["POST /store/namespaces"]],
  ["disable_mcp", ["POST /mcp"]],
  ["disable_a2a", ["POST /a2a/agent", "GET /.well-known/agent-card.json"]],
  ["disable_ui", ["POST /ui/agent"]],
  ["disable_meta", ["GET /info", "GET /metrics", "GET /docs", "GET /openapi.json"]],
])("with %s, %j are 404, and the rest is there", async (key, operations) => {
  await using agent = await startConfigured({ keys: { http: { [key]: true } } });
  for (const operation of operations) {
    const [method = "", path = ""] = operation.split(" ");
    const response = await agent.call(method, path, method === "POST" ? {} : undefined);
    expect([operation, response.status, response.body]).toEqual([operation, 404, { detail: "Not Found" }]);
  }
  expect((await agent.call("GET", "/ok?check_db=1")).body).toEqual({ ok: true });
});

test("only requests that the app takes part in reach the worker", async () => {
  const calls: string[] = [];
  const supervisor = {
    appRequests: new AppRequests(),
    call: async (method: string) => {
      calls.push(method);
      return { status: 200, headers: [], body: null, passedOn: null };
    },
  };
  const settings = {
    app: null,
    disabled: [],
    cors: null,
    mountPrefix: "",
    isAuthFirst: false,
    isAppGuarded: false,
  };
  const routes = [
    { method: "GET", path: "/hello", isMiddleware: false },
    { method: "ALL", path: "/store/*", isMiddleware: true },
  ];
  const http = await ProjectHttp.open(settings, supervisor as never, { routes, isStrict: true });
  const request = (method: string, path: string) =>
    inject(
      (context: RequestContext) =>
        http.respond({
          path: context.rawPath,
          context,
          isSocket: false,
          isOpen: () => false,
          bodyLimitBytes: 1000,
          ours: async () => ({ status: 200 }),
          admit: async () => null,
          onFailure: () => undefined,
        }),
      { method, path },
    );
  for (const path of ["/threads", "/runs/wait", "/hello/a", "/ok", "/nowhere", "/"]) await request("POST", path);
  await request("POST", "/hello");
  expect(calls).toEqual([]);
  await request("GET", "/hello");
  await request("POST", "/store/items/search");
  expect(calls).toEqual(["fetchApp", "fetchApp"]);
});
