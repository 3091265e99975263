import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { mockCommand } from "../../../mock-server/mock-command.ts";
import type { MockServer } from "../../../mock-server/server.ts";
import { apiOf } from "../../kit/mock-server/api.ts";
import { conversation } from "../../kit/mock-server/wire.ts";

async function start(...flags: string[]): Promise<MockServer> {
  const mock = await new Promise<MockServer>((resolve, reject) => {
    const command = mockCommand(resolve).exitOverride();
    const all = ["--port", "0", "--transitions", "immediate", "--log-format", "json", ...flags];
    command.parseAsync(all, { from: "user" }).catch(reject);
  });
  onTestFinished(() => mock.close());
  return mock;
}

test("--allow-host makes a server on loopback respond to that name", async () => {
  const ask = async (mock: MockServer) =>
    conversation(mock.url, "GET /ok HTTP/1.1\r\nhost: mock.test\r\nconnection: close\r\n\r\n");
  expect(await ask(await start())).toMatch(/^HTTP\/1\.1 421 /);
  expect(await ask(await start("--allow-host", "mock.test"))).not.toMatch(/^HTTP\/1\.1 421 /);
});

test("every request to the admin API needs the --admin-token", async () => {
  const api = apiOf((await start("--admin-token", "the-token")).url);
  expect((await api("GET", "/_mock/info")).status).toBeGreaterThanOrEqual(401);
  expect((await api("GET", "/_mock/info", undefined, { authorization: "Bearer the-token" })).status).toBe(200);
});

test("--strict requires a workspace", async () => {
  const api = apiOf((await start("--strict")).url);
  expect((await api("GET", "/v2/deployments")).status).toBe(422);
  expect((await api("GET", "/v2/deployments", undefined, { "x-tenant-id": "one" })).status).toBe(200);
});

test("--allow-outbound lets the server call that host, and no other", async () => {
  const body = { provider_id: "p", name: "P", mcp_server_url: "http://nowhere.invalid/mcp" };
  const detail = async (mock: MockServer) => {
    const made = await apiOf(mock.url)("POST", "/v2/auth/providers/mcp-discover", body);
    return made.body.detail as string;
  };
  expect(await detail(await start("--allow-outbound", "nowhere.invalid"))).toContain("its name is unknown");
  const other = { ...body, mcp_server_url: "http://192.0.2.1/mcp" };
  const mock = await start("--allow-outbound", "nowhere.invalid");
  const refused = await apiOf(mock.url)("POST", "/v2/auth/providers/mcp-discover", other);
  expect(refused.body.detail).toContain("isn't allowed");
});

test.each(["0", "63", "many", "128.5"])("--worker-memory %s is refused", async (value) => {
  await expect(start("--worker-memory", value)).rejects.toThrow(/whole number of MiB, at least 64/);
});

test("a configuration file's worker_memory_mb is validated, and the flag overrides it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "mock-flags-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "mock.yaml");
  await writeFile(file, "worker_memory_mb: 10\n");
  await expect(start("--config", file)).rejects.toThrow(/worker_memory_mb/);
  await writeFile(file, "worker_memory_mb: 512\nrun_uploads: true\n");
  await start("--config", file, "--worker-memory", "256", "--run-uploads");
});
