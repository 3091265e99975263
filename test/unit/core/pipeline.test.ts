import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { ControlPlane, type ControlPlaneOptions } from "../../../core/client/client.ts";
import {
  Aborted,
  ApiError,
  AuthenticationError,
  BadRequestError,
  ConfigError,
  ConflictError,
  ConnectionError,
  GraphDeployError,
  isGone,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ResponseError,
  ServerError,
  TimeoutError,
  ValidationError,
} from "../../../core/client/errors.ts";
import type { Logger } from "../../../core/redact.ts";
import { declaration, deployment, deploymentId, gone } from "../../kit/deployments.ts";
import { FakeClock } from "../../kit/fake-clock.ts";
import { type Script, startScriptedServer } from "../../kit/scripted-server.ts";

const key = "key-of-the-test";

function clientOf(url: string, options: Partial<ControlPlaneOptions> = {}): ControlPlane {
  return new ControlPlane({ baseUrl: url, apiKey: key, clock: new FakeClock(), random: () => 0, ...options });
}

async function failureOf(promise: Promise<unknown>): Promise<GraphDeployError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof GraphDeployError)) throw new Error(`Not a failure of this package: ${error}`);
  return error;
}

/** Responds to the n-th request with the n-th of `responses`, and to all later ones with the last. */
function inTurn(...responses: ReturnType<Script>[]): Script {
  return ({ nth }) => responses[Math.min(nth, responses.length) - 1] ?? "reset";
}

afterEach(() => vi.unstubAllEnvs());

test("every request carries the API key and the workspace", async () => {
  await using server = await startScriptedServer(() => ({ body: deployment() }));
  await clientOf(server.url, { workspaceId: "workspace-1", userAgent: "cli/1" }).deployments.get(deploymentId);
  expect(server.requests[0]?.headers).toMatchObject({
    "x-api-key": key,
    "x-tenant-id": "workspace-1",
    accept: "application/json",
    "user-agent": "graphdeploy cli/1",
  });
  expect(server.requests[0]?.headers).not.toHaveProperty("authorization");
});

test("a bearer token goes in the Authorization header", async () => {
  await using server = await startScriptedServer(() => ({ body: deployment() }));
  await clientOf(server.url, { apiKey: undefined, bearerToken: "token-1" }).deployments.get(deploymentId);
  expect(server.requests[0]?.headers.authorization).toBe("Bearer token-1");
  expect(server.requests[0]?.headers).not.toHaveProperty("x-api-key");
  expect(server.requests[0]?.headers).not.toHaveProperty("x-tenant-id");
});

test("every path begins with the prefix of the base URL", async () => {
  await using server = await startScriptedServer(() => ({ body: deployment() }));
  await clientOf(`${server.url}/api-host/`).deployments.get(deploymentId);
  expect(server.calls()).toEqual([`GET /api-host/v2/deployments/${deploymentId}`]);
});

test.each([408, 429, 500, 502, 503, 504])("a GET is retried after %i", async (status) => {
  await using server = await startScriptedServer(inTurn({ status, body: { detail: "busy" } }, { body: deployment() }));
  await clientOf(server.url).deployments.get(deploymentId);
  expect(server.requests).toHaveLength(2);
});

test.each([400, 401, 403, 404, 409, 422, 501, 505])("a GET is not retried after %i", async (status) => {
  await using server = await startScriptedServer(() => ({ status, body: { detail: "no" } }));
  await failureOf(clientOf(server.url).deployments.get(deploymentId));
  expect(server.requests).toHaveLength(1);
});

test("a GET is retried after its connection breaks", async () => {
  await using server = await startScriptedServer(inTurn("reset", { body: deployment() }));
  await clientOf(server.url).deployments.get(deploymentId);
  expect(server.requests).toHaveLength(2);
});

test("a GET is retried after a truncated body", async () => {
  await using server = await startScriptedServer(
    inTurn(
      (response) => {
        response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
        response.write('{"id":');
        setTimeout(() => response.destroy(), 10);
      },
      { body: '{"id": "cut' },
      { body: deployment() },
    ),
  );
  await clientOf(server.url).deployments.get(deploymentId);
  expect(server.requests).toHaveLength(3);
});

test("a retry waits for Retry-After in seconds", async () => {
  const clock = new FakeClock();
  await using server = await startScriptedServer(
    inTurn({ status: 429, headers: { "retry-after": "7" } }, { body: deployment() }),
  );
  await clientOf(server.url, { clock }).deployments.get(deploymentId);
  expect(clock.sleeps).toEqual([7_000]);
});

test("a retry waits for Retry-After as a date", async () => {
  const clock = new FakeClock(Date.parse("2026-11-01T12:00:00Z"));
  await using server = await startScriptedServer(
    inTurn({ status: 503, headers: { "retry-after": "Sun, 01 Nov 2026 12:00:09 GMT" } }, { body: deployment() }),
  );
  await clientOf(server.url, { clock }).deployments.get(deploymentId);
  expect(clock.sleeps).toEqual([9_000]);
});

test("a Retry-After beyond the deadline ends the call at once", async () => {
  const clock = new FakeClock();
  await using server = await startScriptedServer(() => ({ status: 429, headers: { "retry-after": "3600" } }));
  expect(await failureOf(clientOf(server.url, { clock }).deployments.get(deploymentId))).toBeInstanceOf(RateLimitError);
  expect(clock.sleeps).toEqual([]);
});

test("retries end after the maximum number", async () => {
  await using server = await startScriptedServer(() => ({ status: 503 }));
  const error = await failureOf(clientOf(server.url, { limits: { maxRetries: 3 } }).deployments.get(deploymentId));
  expect(error).toBeInstanceOf(ServerError);
  expect(server.requests).toHaveLength(4);
});

test("retries end at the deadline of the call", async () => {
  const clock = new FakeClock();
  const startedAt = clock.now();
  await using server = await startScriptedServer(() => ({ status: 503 }));
  await failureOf(clientOf(server.url, { clock }).deployments.get(deploymentId, { deadlineMs: 2_000 }));
  expect(clock.now() - startedAt).toBeLessThan(2_000);
  expect(server.requests.length).toBeGreaterThan(1);
});

test.each([408, 500, 502, 503])("a creation is not retried by the client after %i", async (status) => {
  await using server = await startScriptedServer(() => ({ status, body: { detail: "broken" } }));
  const { name, source } = declaration();
  const request = { name, source, source_config: {}, source_revision_config: {}, secrets: [] };
  await failureOf(clientOf(server.url).deployments.create(request));
  expect(server.requests).toHaveLength(1);
});

test("a creation is not retried by the client after its connection breaks", async () => {
  await using server = await startScriptedServer(() => "reset");
  const request = { name: "a", source: "github", source_config: {}, source_revision_config: {}, secrets: [] };
  const error = await failureOf(clientOf(server.url).deployments.create(request));
  expect(error).toBeInstanceOf(ConnectionError);
  expect((error as ConnectionError).sent).toBe(true);
  expect(server.requests).toHaveLength(1);
});

test("a creation is retried after 429, which had no effect", async () => {
  await using server = await startScriptedServer(inTurn({ status: 429 }, { status: 201, body: deployment() }));
  const request = { name: "a", source: "github", source_config: {}, source_revision_config: {}, secrets: [] };
  await clientOf(server.url).deployments.create(request);
  expect(server.requests).toHaveLength(2);
});

test("a PATCH that makes a revision is not retried after 503, any other is", async () => {
  await using server = await startScriptedServer(({ method }) => (method === "PATCH" ? { status: 503 } : {}));
  const client = clientOf(server.url, { limits: { maxRetries: 2 } });
  await failureOf(client.deployments.update(deploymentId, {}, { makesRevision: true }));
  expect(server.requests).toHaveLength(1);
  await failureOf(client.deployments.update(deploymentId, {}, { makesRevision: false }));
  expect(server.requests).toHaveLength(4);
});

test("a refused connection is retried, even for a creation", async () => {
  const clock = new FakeClock();
  const placeholder = createTcpServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => placeholder.once("listening", resolve));
  const { port } = placeholder.address() as AddressInfo;
  await new Promise((resolve) => placeholder.close(resolve));
  const client = clientOf(`http://127.0.0.1:${port}`, { clock, limits: { maxConnectionRetries: 2 } });
  const request = { name: "a", source: "github", source_config: {}, source_revision_config: {}, secrets: [] };
  const error = await failureOf(client.deployments.create(request));
  expect(error).toBeInstanceOf(ConnectionError);
  expect((error as ConnectionError).sent).toBe(false);
  expect(clock.sleeps).toHaveLength(2);
});

test("an attempt without a response times out and is retried", async () => {
  await using server = await startScriptedServer(inTurn(() => {}, { body: deployment() }));
  await clientOf(server.url, { limits: { attemptTimeoutMs: 50 } }).deployments.get(deploymentId);
  expect(server.requests).toHaveLength(2);
});

test("a timeout names the request, the server and the duration, and may have taken effect", async () => {
  await using server = await startScriptedServer(() => () => {});
  const client = clientOf(server.url, { limits: { attemptTimeoutMs: 40, maxConnectionRetries: 0 } });
  const error = await failureOf(client.deployments.get(deploymentId));
  expect(error).toBeInstanceOf(TimeoutError);
  expect((error as TimeoutError).sent).toBe(true);
  expect(error.message).toBe(`GET /v2/deployments/${deploymentId}: no response from ${server.url} within 40ms.`);
});

test("a deadline that is not a whole number of milliseconds is one too", async () => {
  await using server = await startScriptedServer(() => ({ body: deployment() }));
  const read = clientOf(server.url).deployments.get(deploymentId, { deadlineMs: 1_234.567 });
  expect((await read).id).toBe(deploymentId);
});

test("an abort ends a request in progress", async () => {
  const controller = new AbortController();
  await using server = await startScriptedServer(() => {
    controller.abort(new Error("SIGINT"));
    return () => {};
  });
  const error = await failureOf(clientOf(server.url).deployments.get(deploymentId, { signal: controller.signal }));
  expect(error).toBeInstanceOf(Aborted);
});

test("an abort ends the delay before a retry", async () => {
  const controller = new AbortController();
  const clock = new FakeClock();
  clock.onSleep = () => controller.abort();
  await using server = await startScriptedServer(() => ({ status: 503 }));
  const client = clientOf(server.url, { clock });
  const error = await failureOf(client.deployments.get(deploymentId, { signal: controller.signal }));
  expect(error).toBeInstanceOf(Aborted);
  expect(server.requests).toHaveLength(1);
});

test("a redirect is refused and the key goes nowhere else", async () => {
  await using other = await startScriptedServer(() => ({ body: deployment() }));
  await using server = await startScriptedServer(() => ({ status: 302, headers: { location: other.url } }));
  const error = await failureOf(clientOf(server.url).deployments.get(deploymentId));
  expect(error).toBeInstanceOf(ResponseError);
  expect(error.message).toContain("a redirect, which is not followed");
  expect(other.requests).toEqual([]);
});

test.each([
  { status: 200, kind: ResponseError },
  { status: 404, kind: NotFoundError },
])("a web page with status $status names the /api-host prefix", async ({ status, kind }) => {
  const page = { status, body: "<!doctype html><title>App</title>", headers: { "content-type": "text/html" } };
  await using server = await startScriptedServer(() => page);
  const error = await failureOf(clientOf(server.url).deployments.get(deploymentId));
  expect(error).toBeInstanceOf(kind);
  expect(error.hint).toContain(`set the base URL to ${server.url}/api-host`);
  expect(isGone(error, deploymentId)).toBe(false);
});

test("a web page in response to a deletion is an error", async () => {
  await using server = await startScriptedServer(() => ({ body: "<html></html>" }));
  expect(await failureOf(clientOf(server.url).deployments.delete(deploymentId))).toBeInstanceOf(ResponseError);
});

test("a body beyond 32 MiB is not read to its end", async () => {
  await using server = await startScriptedServer(() => (response) => {
    response.writeHead(200, { "content-type": "application/json" });
    const chunk = Buffer.alloc(1024 * 1024, " ");
    const write = (): void => {
      while (!response.destroyed && response.write(chunk));
      if (!response.destroyed) response.once("drain", write);
    };
    write();
  });
  const error = await failureOf(clientOf(server.url).deployments.get(deploymentId));
  expect(error).toBeInstanceOf(ResponseError);
  expect(error.message).toContain("larger than 32 MiB");
});

test("a body that breaks the contract names the path that broke", async () => {
  await using server = await startScriptedServer(() => ({ body: { ...deployment(), source_config: { repo_url: 7 } } }));
  const error = await failureOf(clientOf(server.url).deployments.get(deploymentId));
  expect(error).toBeInstanceOf(ResponseError);
  expect((error as ResponseError).path).toBe("source_config.repo_url");
});

test.each([
  [400, BadRequestError],
  [401, AuthenticationError],
  [403, PermissionError],
  [404, NotFoundError],
  [409, ConflictError],
  [418, ApiError],
  [429, RateLimitError],
  [500, ServerError],
])("%i is an error of its own class with the detail and the request's id", async (status, kind) => {
  const failure = { status, body: { detail: "Because." }, headers: { "x-request-id": "request-1" } };
  await using server = await startScriptedServer(() => failure);
  const error = await failureOf(clientOf(server.url, { limits: { maxRetries: 0 } }).deployments.get(deploymentId));
  expect(error).toBeInstanceOf(kind);
  expect(error).toMatchObject({ status, method: "GET", detail: "Because", requestId: "request-1" });
  const start = `GET /v2/deployments/${deploymentId} responded with ${status}: Because (request request-1).`;
  expect(error.message.startsWith(start)).toBe(true);
});

test("422 names the fields", async () => {
  const detail = [{ loc: ["body", "secrets", 0, "name"], msg: "Field required", type: "missing" }];
  await using server = await startScriptedServer(() => ({ status: 422, body: { detail } }));
  const error = await failureOf(clientOf(server.url).deployments.get(deploymentId));
  expect(error).toBeInstanceOf(ValidationError);
  expect((error as ValidationError).locations).toEqual(["body.secrets.0.name"]);
  expect(error.message).toContain("body.secrets.0.name: Field required");
});

test("only the control plane's own 404 that names the id means gone", async () => {
  await using server = await startScriptedServer(
    inTurn(
      gone(deploymentId),
      { status: 404, body: { detail: "Not Found" } },
      { status: 404, body: { message: deploymentId } },
    ),
  );
  const client = clientOf(server.url);
  expect(isGone(await failureOf(client.deployments.get(deploymentId)), deploymentId)).toBe(true);
  expect(isGone(await failureOf(client.deployments.get(deploymentId)), deploymentId)).toBe(false);
  expect(isGone(await failureOf(client.deployments.get(deploymentId)), deploymentId)).toBe(false);
});

test("no error or log line shows the key or a secret, however the server encodes it", async () => {
  const secret = 'sécret/"value"';
  const lines: string[] = [];
  const write = (message: string, fields?: unknown) => void lines.push(message + JSON.stringify(fields));
  const logger: Logger = { debug: write, info: write, warn: write, error: write };
  const ascii = `{"detail": "bad value s\\u00e9cret\\/\\"value\\" for ${key}"}`;
  await using server = await startScriptedServer(
    inTurn(
      { status: 503, body: ascii },
      { status: 400, body: ascii },
      { status: 400, body: `${"x".repeat(495)}${key}` },
    ),
  );
  const client = clientOf(server.url, { logger });
  client.redactor.add([secret]);
  const error = await failureOf(client.deployments.get(deploymentId));
  const cut = await failureOf(client.deployments.get(deploymentId));
  expect(error.message).toContain("bad value [redacted] for [redacted]");
  expect(cut.message).not.toContain(key.slice(0, 4));
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines) expect(line).not.toMatch(/key-of|cret/);
});

test("a host name that doesn't exist is not retried", async () => {
  const clock = new FakeClock();
  const cause = Object.assign(new Error("getaddrinfo ENOTFOUND"), { code: "ENOTFOUND" });
  const dispatcher = {
    dispatch: () => {
      throw cause;
    },
  };
  const client = clientOf("https://nowhere.invalid", { clock, dispatcher: dispatcher as never });
  const error = await failureOf(client.deployments.get(deploymentId));
  expect(error.message).toContain("this host name doesn't exist");
  expect(clock.sleeps).toEqual([]);
});

test("requests go through HTTPS_PROXY, and its refusal is reported as one", async () => {
  const tunnels: string[] = [];
  const proxy = createServer();
  proxy.on("connect", (request, socket) => {
    tunnels.push(`${request.url} ${request.headers["x-api-key"] ?? "without a key"}`);
    socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  vi.stubEnv("HTTPS_PROXY", proxyUrl);
  vi.stubEnv("https_proxy", proxyUrl);
  vi.stubEnv("NO_PROXY", "");
  vi.stubEnv("no_proxy", "");
  const client = clientOf("https://control-plane.invalid", { limits: { maxConnectionRetries: 0 } });
  const error = await failureOf(client.deployments.get(deploymentId));
  await new Promise((resolve) => proxy.close(resolve));
  expect(tunnels).toEqual(["control-plane.invalid:443 without a key"]);
  expect(error).toMatchObject({
    sent: false,
    hint: "The proxy in HTTPS_PROXY refused the connection: check its address and NO_PROXY.",
  });
});

test("a key for loopback never goes through a proxy in plain text", async () => {
  await using proxy = await startScriptedServer(() => ({ status: 502 }));
  await using server = await startScriptedServer(() => ({ body: deployment() }));
  vi.stubEnv("HTTP_PROXY", proxy.url);
  vi.stubEnv("http_proxy", proxy.url);
  vi.stubEnv("NO_PROXY", "");
  vi.stubEnv("no_proxy", "");
  await clientOf(server.url).deployments.get(deploymentId);
  expect(proxy.requests).toEqual([]);
});

/** An address of this machine that doesn't count as loopback, like a service inside a cluster. */
const unnamed = (url: string) => url.replace("127.0.0.1", "0.0.0.0");

/** Sets the proxy variables and unsets all others. */
function stubProxy(variables: Readonly<Record<string, string>>): void {
  for (const name of ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "NO_PROXY", "no_proxy"]) {
    vi.stubEnv(name, variables[name]);
  }
}

test("a host that plain http is allowed to is reached, and neither a proxy nor a redirect gets the key", async () => {
  await using other = await startScriptedServer(() => ({ body: deployment() }));
  await using server = await startScriptedServer(
    inTurn({ body: deployment() }, { status: 307, headers: { location: unnamed(other.url) } }),
  );
  stubProxy({ HTTP_PROXY: other.url, HTTPS_PROXY: other.url });
  const baseUrl = unnamed(server.url);
  expect(() => clientOf(baseUrl)).toThrow("isn't https");
  const client = clientOf(baseUrl, { allowHttpHosts: ["0.0.0.0"] });
  await client.deployments.get(deploymentId);
  expect(server.requests[0]?.headers["x-api-key"]).toBe(key);
  const error = await failureOf(client.deployments.get(deploymentId));
  expect(error.message).toContain("a redirect, which is not followed");
  expect(other.requests).toEqual([]);
});

test.each([
  [{ HTTPS_PROXY: "garbage" }, "HTTPS_PROXY"],
  [{ https_proxy: "proxy.example:3128" }, "https_proxy"],
  [{ HTTP_PROXY: "http://" }, "HTTP_PROXY"],
  [{ http_proxy: "ftp://proxy.example" }, "http_proxy"],
  [{ HTTPS_PROXY: "http://user:secret word@" }, "HTTPS_PROXY"],
  [{ HTTPS_PROXY: "http://user:100%@proxy.example:3128" }, "HTTPS_PROXY"],
  [{ https_proxy: "garbage", HTTPS_PROXY: "http://proxy.example:3128" }, "https_proxy"],
])("with %j one error names %s and what to write", (variables, name) => {
  stubProxy(variables);
  const make = () => clientOf("https://control-plane.invalid");
  expect(make).toThrow(ConfigError);
  expect(make).toThrow(
    `${name}: the value of this environment variable is not the address of a proxy. Write it like http://proxy.example:3128, with its scheme in front, or unset it.`,
  );
});

test.each<Record<string, string>>([
  {},
  { HTTPS_PROXY: "", http_proxy: "" },
  { https_proxy: "http://proxy.example:3128", HTTPS_PROXY: "garbage" },
  { HTTPS_PROXY: "https://user:wo%25rd@proxy.example" },
  { HTTPS_PROXY: "socks5://proxy.example:1080" },
])("with %j a proxy can be used", (variables) => {
  stubProxy(variables);
  expect(() => clientOf("https://control-plane.invalid")).not.toThrow();
});

test.each(["http://localhost:8124", "http://mock:8124"])("no proxy is used for %s", (baseUrl) => {
  stubProxy({ HTTPS_PROXY: "garbage" });
  expect(() => clientOf(baseUrl, { allowHttpHosts: ["mock"] })).not.toThrow();
});

test.each([
  ["control-plane.invalid", []],
  [".invalid", []],
  ["*.invalid", []],
  ["other.example, control-plane.invalid:443", []],
  ["*", []],
  ["plane.invalid", ["control-plane.invalid:443"]],
  ["control-plane.invalid:8443", ["control-plane.invalid:443"]],
])("with NO_PROXY %s, the proxy gets requests for %j", async (noProxy, expected) => {
  const tunnels: (string | undefined)[] = [];
  const proxy = createServer();
  proxy.on("connect", (request, socket) => {
    tunnels.push(request.url);
    socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  stubProxy({ HTTPS_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, NO_PROXY: noProxy });
  const client = clientOf("https://control-plane.invalid", { limits: { maxConnectionRetries: 0 } });
  await failureOf(client.deployments.get(deploymentId));
  await new Promise((resolve) => proxy.close(resolve));
  expect(tunnels).toEqual(expected);
});

test("an outage is a line at its start, at most one every 30 s, and one at its end, without advice to run again", async () => {
  const clock = new FakeClock();
  const startedAt = clock.now();
  const isDown = () => clock.now() - startedAt < 75_000;
  await using server = await startScriptedServer(() => (isDown() ? { status: 503 } : { body: deployment() }));
  const said: string[] = [];
  const say = (message: string) => void said.push(message.replace(/\d+s/, "<n>s"));
  const logger: Logger = { debug() {}, info: say, warn: say, error: say };
  await clientOf(server.url, { clock, logger, random: () => 0.9 }).deployments.get(deploymentId);
  const failure = `GET /v2/deployments/${deploymentId} responded with 503: no message.`;
  expect(said).toEqual([
    `${failure} Retrying.`,
    `${failure} Still retrying after <n>s.`,
    expect.stringMatching(/^The server responds again after /),
  ]);
});

test("a resource that fails alone isn't reported as back by another one", async () => {
  const clock = new FakeClock();
  await using server = await startScriptedServer(({ path }) =>
    path.includes("/revisions") ? { status: 500 } : { body: deployment() },
  );
  const said: string[] = [];
  const say = (message: string) => void said.push(message);
  const client = clientOf(server.url, { clock, logger: { debug() {}, info: say, warn: say, error: say } });
  for (let count = 0; count < 3; count += 1) {
    await failureOf(client.revisions.get(deploymentId, "one", { deadlineMs: 5_000 }));
    await client.deployments.get(deploymentId);
  }
  expect(said).toHaveLength(1);
});
