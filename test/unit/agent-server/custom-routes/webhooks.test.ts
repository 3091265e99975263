import { afterEach, expect, test } from "vitest";
import { until } from "../../../kit/agent-server/agent.ts";
import { type ConfiguredAgent, startConfigured } from "../../../kit/agent-server/compiled/configured-project.ts";
import { type ScriptedServer, startScriptedServer } from "../../../kit/scripted-server.ts";

const http = { app: "./app.ts:app" };
const servers: AsyncDisposable[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server[Symbol.asyncDispose]();
});

async function started(keys: object, env: Record<string, string> = {}): Promise<ConfiguredAgent> {
  const agent = await startConfigured({ keys: { http, ...keys, env } });
  servers.push(agent);
  return agent;
}

async function receiver(): Promise<ScriptedServer> {
  const server = await startScriptedServer(() => ({ status: 200 }));
  servers.push(server);
  return server;
}

const run = (agent: ConfiguredAgent, webhook: string, headers: Record<string, string> = {}) =>
  agent.call("POST", "/runs/wait", { assistant_id: "agent", input: { text: "a" }, webhook }, headers);

/** The webhooks that the app of the project has received. */
async function hooksOf(agent: ConfiguredAgent, headers: Record<string, string> = {}) {
  let hooks: { body: Record<string, unknown>; token: string | null }[] = [];
  await until(async () => {
    hooks = (await agent.call("GET", "/hooks", undefined, headers)).body;
    return hooks.length > 0;
  });
  return hooks;
}

test("a webhook that is a path goes to the app", async () => {
  const agent = await started({});
  expect((await run(agent, "/hook")).status).toBe(200);
  expect(await hooksOf(agent)).toEqual([{ body: expect.objectContaining({ status: "success" }), token: null }]);
});

test("a webhook that is a path goes to the app under a mount prefix, with the prefix or without", async () => {
  for (const webhook of ["/hook", "/api/hook"]) {
    const agent = await startConfigured({ keys: { http: { ...http, mount_prefix: "/api" } } });
    servers.push(agent);
    const body = { assistant_id: "agent", input: { text: "a" }, webhook };
    expect((await agent.call("POST", "/api/runs/wait", body)).status).toBe(200);
    await until(async () => (await agent.call("GET", "/api/hooks")).body.length === 1);
  }
});

test.each(["/threads", "/nowhere", "/items/7", "/internal/truncate"])(
  "a webhook to %s, where no route of the app handles it, is refused",
  async (webhook) => {
    const agent = await started({});
    expect(await run(agent, webhook)).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining("no route of the project's app") },
    });
  },
);

test("a webhook to a guarded route of the app has the rights of nobody but its own headers", async () => {
  const env = { LG_WEBHOOK_USER: "hooks" };
  const keys = {
    auth: { path: "./auth.ts:auth" },
    http: { ...http, enable_custom_route_auth: true },
    webhooks: { headers: { "X-User": `\${{ env.LG_WEBHOOK_USER }}` } },
  };
  const ada = { "x-user": "ada" };
  const signed = await started(keys, env);
  await run(signed, "/hook", ada);
  expect(await hooksOf(signed, ada)).toHaveLength(1);
  const unsigned = await started({ ...keys, webhooks: {} }, env);
  await run(unsigned, "/hook", ada);
  await until(async () => unsigned.lines.includes("refused /hook"));
  expect((await unsigned.call("GET", "/hooks", undefined, ada)).body).toEqual([]);
});

test("webhooks have the headers of the file, with variables whose names have the prefix", async () => {
  const server = await receiver();
  const headers = { "X-Token": `Bearer \${{ env.HOOK_TOKEN }}!`, "X-Plain": "plain" };
  const agent = await started({ webhooks: { headers, env_prefix: "HOOK_" } }, { HOOK_TOKEN: "secret" });
  await run(agent, `${server.url}/hook`);
  await until(async () => server.requests.length > 0);
  expect(server.requests[0]?.headers).toMatchObject({
    "x-token": "Bearer secret!",
    "x-plain": "plain",
    "content-type": "application/json",
  });
});

test.each([
  [`\${{ env.OTHER }}`, "names a variable that doesn't begin with LG_WEBHOOK_"],
  [`\${{ env.LG_WEBHOOK_MISSING }}`, "names a variable that isn't set"],
  [`\${{ secrets.A }}`, "isn't a reference to a variable"],
])("a header with %s is refused when the project loads", async (value, problem) => {
  await expect(started({ webhooks: { headers: { "x-a": value } } }, { OTHER: "x" })).rejects.toThrow(
    `webhooks.headers.x-a: ${value} ${problem}`,
  );
});

test.each(["a\nb", "→"])("a header's value %j is refused when the project loads, and isn't shown", async (value) => {
  const headers = { "x-a": `Bearer \${{ env.LG_WEBHOOK_A }}` };
  await expect(started({ webhooks: { headers } }, { LG_WEBHOOK_A: value })).rejects.toThrow(
    "webhooks.headers.x-a: its value has characters that no header can have.",
  );
});

test("the line break at the end of a variable isn't sent", async () => {
  const server = await receiver();
  const agent = await started(
    { webhooks: { headers: { "x-a": `\${{ env.LG_WEBHOOK_A }}` } } },
    { LG_WEBHOOK_A: "a\n" },
  );
  await run(agent, server.url);
  await until(async () => server.requests.length > 0);
  expect(server.requests[0]?.headers["x-a"]).toBe("a");
});

test.each(["Host", "content-length", "Transfer-Encoding"])("the header %s is the server's", async (name) => {
  await expect(started({ webhooks: { headers: { [name]: "1" } } })).rejects.toThrow(
    `webhooks.headers.${name}: is set by the server`,
  );
});

test("the log says that a webhook wasn't accepted, without its path", async () => {
  const messages: string[] = [];
  const server = await startScriptedServer(() => ({ status: 404 }));
  servers.push(server);
  const onLog = ({ message }: { message: string }) => messages.push(message);
  const agent = await startConfigured({ keys: { http }, server: { onLog } });
  servers.push(agent);
  await run(agent, `${server.url}/secret`);
  await until(async () => messages.some((message) => message.includes("wasn't accepted")));
  expect(messages).toContain(`The webhook to ${server.url} wasn't accepted: 404.`);
});

test("only the allowed fields of a run are sent", async () => {
  const server = await receiver();
  const agent = await started({ webhooks: { allowed_fields: ["run_id", "status"] } });
  await run(agent, server.url);
  await until(async () => server.requests.length > 0);
  expect(server.requests[0]?.body).toEqual({ run_id: expect.any(String), status: "success" });
});

test("with disable_webhooks they are accepted and not sent", async () => {
  const server = await receiver();
  const agent = await started({ http: { ...http, disable_webhooks: true } });
  expect((await run(agent, `${server.url}/one`)).status).toBe(200);
  const enabled = await started({});
  await run(enabled, `${server.url}/two`);
  await until(async () => server.requests.length > 0);
  expect(server.calls()).toEqual(["POST /two"]);
});

test("a project's policy holds for the webhooks of its runs", async () => {
  const agent = await started({ webhooks: { url: { disable_loopback: true } } });
  for (const webhook of ["/hook", "http://127.0.0.1:1/x", "http://localhost:1/x"]) {
    expect(await run(agent, webhook)).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining("(webhooks.url.disable_loopback)") },
    });
  }
});
