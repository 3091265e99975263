import { gunzipSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { inspectTarball } from "../../../mock-server/control-plane/uploads/source-tarball.ts";
import { tarballLimits } from "../../../mock-server/control-plane/uploads/tar-entries.ts";
import type { MockServer } from "../../../mock-server/server.ts";
import { type Api, startForTest } from "../../kit/mock-server/api.ts";
import { graphConfig, graphFile, type TestEntry, tarball } from "../../kit/mock-server/tarball.ts";

type TestServer = MockServer & { cloud: Api };

async function deploymentFromSource(mock: TestServer, name = "agent"): Promise<string> {
  const body = { name, source: "internal_source", source_config: {}, source_revision_config: {}, secrets: [] };
  return (await mock.cloud("POST", "/v2/deployments", body)).body.id;
}

async function put(url: string, data: Buffer): Promise<Response> {
  return fetch(url, { method: "PUT", body: new Uint8Array(data), headers: { "content-type": "application/gzip" } });
}

/** An extended header for the entry after it. Its record must be shorter than 95 characters. */
function pax(record: string): TestEntry {
  return { path: "pax", type: "x", content: `${record.length + 4} ${record}\n` };
}

/** Uploads a tarball and creates a revision from it. Returns the revision. */
async function build(mock: TestServer, id: string, data: Buffer, config = "graph.json") {
  const { body: upload } = await mock.cloud("POST", `/v2/deployments/${id}/upload-url`);
  expect((await put(upload.upload_url, data)).status).toBe(200);
  const { body } = await mock.cloud("PATCH", `/v2/deployments/${id}`, {
    source_revision_config: { source_tarball_path: upload.object_path, graph_config_path: config },
  });
  const path = `/v2/deployments/${id}/revisions/${body.latest_revision_id}`;
  const { body: revision } = await mock.cloud("GET", path);
  const logs = await mock.cloud("POST", `/v1/projects/${id}/revisions/${revision.id}/build_logs`, {});
  return {
    status: revision.status,
    log: logs.body.logs.map(({ message }: { message: string }) => message).join("\n"),
  };
}

test("an uploaded project is built, and the log names its graphs", async () => {
  await using mock = await startForTest();
  const id = await deploymentFromSource(mock);
  const built = await build(mock, id, tarball([graphConfig, graphFile]));
  expect(built.status).toBe("DEPLOYED");
  expect(built.log).toContain("Found the graphs agent");
});

async function revisionOf(mock: TestServer, id: string, revisionId: string) {
  const { status } = (await mock.cloud("GET", `/v2/deployments/${id}/revisions/${revisionId}`)).body;
  const of = (kind: string) => mock.cloud("POST", `/v1/projects/${id}/revisions/${revisionId}/${kind}_logs`, {});
  const pages = [await of("build"), await of("deploy")];
  return { status, log: JSON.stringify(pages.map(({ body }) => body.logs)) };
}

test("a deployment without a source isn't deployed, whatever requests a revision, and the log says what is missing", async () => {
  await using mock = await startForTest();
  const id = await deploymentFromSource(mock);
  const first = (await mock.cloud("GET", `/v2/deployments/${id}`)).body;
  expect(first).toMatchObject({ active_revision_id: null });
  const failed = await revisionOf(mock, id, first.latest_revision_id);
  expect(failed).toMatchObject({ status: "BUILD_FAILED", log: expect.stringContaining("upload-url") });
  const changes = { secrets: [{ name: "A", value: "1" }], source_revision_config: { graph_config_path: "graph.json" } };
  const changed = (await mock.cloud("PATCH", `/v2/deployments/${id}`, changes)).body;
  expect(await revisionOf(mock, id, changed.latest_revision_id)).toMatchObject({ status: "BUILD_FAILED" });
  expect((await mock.cloud("GET", `/agents/${id}/ok`)).status).toBe(503);
  const path = `/v2/deployments/${id}/revisions/${changed.latest_revision_id}/redeploy`;
  const again = (await mock.cloud("POST", path)).body;
  expect(await revisionOf(mock, id, again.latest_revision_id)).toMatchObject({ status: "BUILD_FAILED" });
});

test("a deployment of a pushed image that has none isn't deployed", async () => {
  await using mock = await startForTest();
  const body = { name: "image", source: "internal_docker", source_config: {}, source_revision_config: {}, secrets: [] };
  const { id, latest_revision_id: revision } = (await mock.cloud("POST", "/v2/deployments", body)).body;
  expect(await revisionOf(mock, id, revision)).toMatchObject({
    status: "DEPLOY_FAILED",
    log: expect.stringContaining("image_uri"),
  });
});

test("the source of a seeded deployment counts as uploaded, also for later revisions", async () => {
  await using mock = await startForTest();
  const { deployments } = await mock.seed({ deployments: [{ name: "seeded", source: "internal_source" }] });
  const id = deployments[0]?.id as string;
  const { body } = await mock.cloud("GET", `/v2/deployments/${id}`);
  const patch = { source_revision_config: body.source_revision_config, secrets: [{ name: "A", value: "1" }] };
  const changed = (await mock.cloud("PATCH", `/v2/deployments/${id}`, patch)).body;
  expect(await revisionOf(mock, id, changed.latest_revision_id)).toMatchObject({ status: "DEPLOYED" });
});

test("an upload after the build isn't used", async () => {
  await using mock = await startForTest();
  const id = await deploymentFromSource(mock);
  const { body: upload } = await mock.cloud("POST", `/v2/deployments/${id}/upload-url`);
  mock.clock.advance("16m");
  expect((await put(upload.upload_url, tarball([graphConfig, graphFile]))).status).toBe(403);
  const { body } = await mock.cloud("PATCH", `/v2/deployments/${id}`, {
    source_revision_config: { source_tarball_path: upload.object_path, graph_config_path: "graph.json" },
  });
  const revision = await revisionOf(mock, id, body.latest_revision_id);
  expect(revision).toMatchObject({ status: "BUILD_FAILED", log: expect.stringContaining("nothing was uploaded") });
});

test.each([
  ["a graph file", { graphs: { agent: "./missing.ts:graph" } }, "graphs.agent names ./missing.ts, which isn't in"],
  ["a graph's path", { graphs: { agent: { path: "./missing.py:graph" } } }, "graphs.agent names ./missing.py"],
  ["auth handlers", { auth: { path: "./auth.ts:auth" } }, "auth.path names ./auth.ts"],
  ["an app", { http: { app: "./app.ts:app" } }, "http.app names ./app.ts"],
  ["an environment file", { env: ".env" }, "env names .env"],
  ["a package", { dependencies: [".", "./packages/tools", "lodash"] }, "dependencies names ./packages/tools"],
  ["a file outside of it", { graphs: { agent: "../agent.ts:graph" } }, "lies outside the archive's folder"],
  ["a file by an absolute path", { graphs: { agent: "/agent.ts:graph" } }, "lies outside the archive's folder"],
])("a tarball whose configuration names %s that it lacks fails the build", async (_, changes, reason) => {
  await using mock = await startForTest();
  const content = JSON.stringify({ graphs: { agent: "./agent.ts:graph" }, ...changes });
  const built = await build(
    mock,
    await deploymentFromSource(mock),
    tarball([{ path: "graph.json", content }, graphFile]),
  );
  expect(built).toMatchObject({ status: "BUILD_FAILED", log: expect.stringContaining(reason) });
});

test("a graph that Python finds by its module name isn't required in the tarball", async () => {
  const config = { path: "graph.json", content: JSON.stringify({ graphs: { agent: "agents.support:graph" } }) };
  expect(await inspectTarball(tarball([config]), "graph.json")).toMatchObject({ graphs: ["agent"] });
});

test("a build without an upload fails with that reason", async () => {
  await using mock = await startForTest();
  const id = await deploymentFromSource(mock);
  const { body: upload } = await mock.cloud("POST", `/v2/deployments/${id}/upload-url`);
  const { body } = await mock.cloud("PATCH", `/v2/deployments/${id}`, {
    source_revision_config: { source_tarball_path: upload.object_path, graph_config_path: "graph.json" },
  });
  const { body: revision } = await mock.cloud("GET", `/v2/deployments/${id}/revisions/${body.latest_revision_id}`);
  expect(revision.status).toBe("BUILD_FAILED");
});

test.each([
  ["a path that leads out", tarball([graphConfig, { path: "../evil.txt", content: "x" }]), "leads out"],
  ["a path that leads out in its middle", tarball([graphConfig, { path: "a/../../evil", content: "x" }]), "leads out"],
  ["an absolute path", tarball([graphConfig, { path: "/etc/passwd", content: "x" }]), "leads out"],
  ["a path of another system", tarball([graphConfig, { path: "..\\evil", content: "x" }]), "leads out"],
  ["a drive letter", tarball([graphConfig, { path: "C:evil", content: "x" }]), "leads out"],
  ["a symbolic link", tarball([graphConfig, { path: "link", type: "2" }]), "is a link"],
  ["a hard link", tarball([graphConfig, { path: "link", type: "1" }]), "is a link"],
  ["a device", tarball([graphConfig, { path: "device", type: "3" }]), "neither a file nor a folder"],
  ["a sparse file", tarball([graphConfig, { path: "sparse", type: "S" }]), "neither a file nor a folder"],
  ["a long name that leads out", tarball([{ path: "@", type: "L", content: "a/../../b\0" }, graphConfig]), "leads out"],
  [
    "a header that claims to be huge",
    tarball([{ path: "pax", type: "x", size: 8 * 1024 * 1024 }]),
    "isn't a tar archive",
  ],
  ["a size below zero", tarball([pax("size=-1"), graphConfig]), "isn't a tar archive"],
  [
    "a size that isn't a number",
    tarball([graphConfig, { path: "f", rawSize: "\xa600000000001" }]),
    "isn't a tar archive",
  ],
  [
    "a folder that claims content",
    tarball([{ path: "a/", type: "5", content: "x" }, graphConfig]),
    "isn't a tar archive",
  ],
  ["a header that ends too early", gzipSync(gunzipSync(tarball([graphConfig])).subarray(0, 400)), "ends in the middle"],
  ["a gzip stream that ends too early", tarball([graphConfig]).subarray(0, 60), "isn't readable"],
  ["no configuration file", tarball([{ path: "agent.ts", content: "x" }]), "it has no graph.json"],
  ["a configuration that isn't JSON", tarball([{ path: "graph.json", content: "{" }]), "isn't valid JSON"],
  ["a configuration without graphs", tarball([{ path: "graph.json", content: "{}" }]), "names no graphs"],
  [
    "an entry that ends too early",
    tarball([graphConfig, { path: "big", content: "x", size: 9999999 }]),
    "ends in the middle",
  ],
  ["something else than a tar", gzipSync(Buffer.alloc(600, "x")), "isn't a tar archive"],
  ["something else than gzip", Buffer.from("no archive at all"), "isn't readable"],
  ["nothing", Buffer.alloc(0), "isn't readable"],
])("a tarball with %s fails the build, and the log says why", async (_, data, reason) => {
  await using mock = await startForTest();
  const built = await build(mock, await deploymentFromSource(mock), data);
  expect(built.status).toBe("BUILD_FAILED");
  expect(built.log).toContain(reason);
});

test("a pax header can't hide a path outside the folder", async () => {
  const data = tarball([graphConfig, pax("path=../evil"), { path: "innocent" }]);
  await expect(inspectTarball(data, "graph.json")).rejects.toThrow("leads out");
});

test("a small tarball with large contents or many entries is refused", async () => {
  const bomb = tarball([graphConfig, { path: "zeros", content: Buffer.alloc(2 * 1024 * 1024) }]);
  expect(bomb.length).toBeLessThan(10_000);
  const limits = { ...tarballLimits, unpackedBytes: 1024 * 1024 };
  await expect(inspectTarball(bomb, "graph.json", limits)).rejects.toThrow("unpacks to more than");
  const many = tarball([graphConfig, ...Array.from({ length: 50 }, (_, index) => ({ path: `f${index}` }))]);
  await expect(inspectTarball(many, "graph.json", { ...tarballLimits, entries: 20 })).rejects.toThrow("more than 20");
});

test("a graph configuration file in a folder is found by its path", async () => {
  const data = tarball([
    { ...graphConfig, path: "./apps/agent/graph.json" },
    { ...graphFile, path: "./apps/agent/agent.ts" },
  ]);
  expect(await inspectTarball(data, "apps/agent/graph.json")).toMatchObject({ graphs: ["agent"] });
});

test("an upload URL is valid for its object only, until it expires", async () => {
  await using mock = await startForTest();
  const id = await deploymentFromSource(mock);
  const { body: upload } = await mock.cloud("POST", `/v2/deployments/${id}/upload-url`);
  const data = tarball([graphConfig]);
  const url = new URL(upload.upload_url);
  const other = await deploymentFromSource(mock, "other");
  expect((await put(upload.upload_url.replace(id, other), data)).status).toBe(403);
  url.searchParams.set("expires", String(Number(url.searchParams.get("expires")) + 1));
  expect((await put(url.href, data)).status).toBe(403);
  expect((await put(`${mock.url}/uploads/../../etc/passwd`, data)).status).toBe(404);
  expect((await put(`${mock.url}/uploads/%2e%2e%2fpasswd`, data)).status).toBe(403);
  expect((await fetch(upload.upload_url)).status).toBe(405);
  mock.clock.advance("16m");
  expect(await (await put(upload.upload_url, data)).json()).toEqual({ detail: expect.stringContaining("expired") });
});

test("a revision or a deployment can't be created from another deployment's upload", async () => {
  await using mock = await startForTest();
  const [first, second] = [await deploymentFromSource(mock), await deploymentFromSource(mock, "second")];
  const { body: upload } = await mock.cloud("POST", `/v2/deployments/${first}/upload-url`);
  for (const path of [upload.object_path, "sources/../../etc/passwd", ""]) {
    const config = { source_tarball_path: path, graph_config_path: "graph.json" };
    const response = await mock.cloud("PATCH", `/v2/deployments/${second}`, { source_revision_config: config });
    expect(response.status).toBe(400);
  }
  const body = {
    name: "third",
    source: "internal_source",
    source_config: {},
    source_revision_config: { source_tarball_path: upload.object_path },
    secrets: [],
  };
  expect((await mock.cloud("POST", "/v2/deployments", body)).status).toBe(400);
});

test("an image push is refused with advice on alternatives", async () => {
  await using mock = await startForTest();
  const response = await fetch(`${mock.url}/v2/registry/some-id/blobs/uploads/`, { method: "POST" });
  expect(response.status).toBe(403);
  expect(await response.json()).toMatchObject({ errors: [{ message: expect.stringContaining("internal_source") }] });
});

test("the journal doesn't have the signatures of upload URLs", async () => {
  await using mock = await startForTest();
  const id = await deploymentFromSource(mock);
  const { body: upload } = await mock.cloud("POST", `/v2/deployments/${id}/upload-url`);
  await put(upload.upload_url, tarball([graphConfig]));
  const signature = new URL(upload.upload_url).searchParams.get("signature") as string;
  expect(JSON.stringify(mock.requests())).not.toContain(signature);
});
