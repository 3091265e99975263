import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { apiOf, startForTest } from "../../../kit/mock-server/api.ts";
import { tarball } from "../../../kit/mock-server/tarball.ts";

const fixture = new URL("../../../fixtures/graph-projects/greeter/", import.meta.url);

async function packedProject(changes: Record<string, string> = {}): Promise<Buffer> {
  const names = ["graph.json", "graph.ts", "greeting.ts", "app.ts"];
  const entries = names.map(async (path) => ({
    path,
    content: changes[path] ?? (await readFile(fileURLToPath(new URL(path, fixture)), "utf8")),
  }));
  return tarball(await Promise.all(entries));
}

/** Deploys a tarball. Returns the revision's status, its build log and the agent server. */
async function deploy(mock: Awaited<ReturnType<typeof startForTest>>, packed: Buffer) {
  const body = {
    name: "uploaded",
    source: "internal_source",
    source_config: {},
    source_revision_config: {},
    secrets: [],
  };
  const { id, source_config: config } = (await mock.cloud("POST", "/v2/deployments", body)).body;
  const { upload_url, object_path } = (await mock.cloud("POST", `/v2/deployments/${id}/upload-url`)).body;
  await fetch(upload_url, { method: "PUT", body: new Uint8Array(packed) });
  const patched = await mock.cloud("PATCH", `/v2/deployments/${id}`, {
    source_revision_config: { source_tarball_path: object_path, graph_config_path: "graph.json" },
  });
  expect(patched).toMatchObject({ status: 200 });
  const revision = `revisions/${patched.body.latest_revision_id}`;
  const { status } = (await mock.cloud("GET", `/v2/deployments/${id}/${revision}`)).body;
  const { logs } = (await mock.cloud("POST", `/v1/projects/${id}/${revision}/build_logs`, {})).body;
  const log: string = logs.map(({ message }: { message: string }) => message).join("\n");
  return { status, log, agent: apiOf(config.custom_url) };
}

const unpacked = () => readdirSync(tmpdir()).filter((name) => name.startsWith("graphdeploy-upload-"));

test("with runUploads, the graphs of an uploaded tarball run, and the folder with its contents is deleted at the end", async () => {
  const before = new Set(unpacked());
  {
    await using mock = await startForTest({ runUploads: true });
    const { status, log, agent } = await deploy(mock, await packedProject());
    expect(status).toBe("DEPLOYED");
    expect(log).toContain("Loaded the graphs greeter");
    const { body } = await agent("POST", "/runs/wait", { assistant_id: "greeter", input: { name: "Ada" } });
    expect(body.greeting).toBe("Hello Ada from here");
    expect(unpacked().filter((name) => !before.has(name))).toHaveLength(1);
  }
  expect(unpacked().filter((name) => !before.has(name))).toEqual([]);
});

test("an uploaded tarball whose graphs don't load fails the build", async () => {
  await using mock = await startForTest({ runUploads: true });
  const { status, log } = await deploy(mock, await packedProject({ "greeting.ts": "export const greeting = ;" }));
  expect(status).toBe("BUILD_FAILED");
  expect(log).toMatch(/greeting\.ts:1: /);
});

test("without runUploads, nothing of a tarball is run or unpacked", async () => {
  await using mock = await startForTest();
  const before = unpacked();
  const { status, agent } = await deploy(mock, await packedProject({ "greeting.ts": "throw new Error('run');" }));
  expect(status).toBe("DEPLOYED");
  expect(unpacked()).toEqual(before);
  expect((await agent("GET", "/assistants/agent")).status).toBe(200);
});
