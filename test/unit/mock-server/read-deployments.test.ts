import { expect, test } from "vitest";
import { type Api, dockerBody, githubBody, startForTest } from "../../kit/mock-server/api.ts";

const namesOf = (list: { body: { resources: { name: string }[] } }) => list.body.resources.map(({ name }) => name);

async function makeSeveral(api: Api, ...names: string[]): Promise<Record<string, string>> {
  const ids: Record<string, string> = {};
  for (const name of names) ids[name] = (await api("POST", "/v2/deployments", githubBody({ name }))).body.id;
  return ids;
}

test("a listing is paged, newest first, and each page has the offset of the next", async () => {
  await using mock = await startForTest();
  await makeSeveral(mock.cloud, "a", "b", "c");
  const first = await mock.cloud("GET", "/v2/deployments?limit=2");
  expect(namesOf(first)).toEqual(["c", "b"]);
  expect(first.body.offset).toBe(2);
  const second = await mock.cloud("GET", `/v2/deployments?limit=2&offset=${first.body.offset}`);
  expect(namesOf(second)).toEqual(["a"]);
  expect(second.body.offset).toBe(3);
  const beyond = await mock.cloud("GET", "/v2/deployments?offset=9");
  expect(beyond.body).toEqual({ resources: [], offset: 9 });
});

test("a page has 20 deployments unless the limit says otherwise", async () => {
  await using mock = await startForTest();
  await makeSeveral(mock.cloud, ...Array.from({ length: 21 }, (_, index) => `agent-${index}`));
  expect(namesOf(await mock.cloud("GET", "/v2/deployments"))).toHaveLength(20);
  expect(namesOf(await mock.cloud("GET", "/v2/deployments?limit=100"))).toHaveLength(21);
});

test("a listing is filtered by name, part of the name, type, ids and status", async () => {
  await using mock = await startForTest();
  const ids = await makeSeveral(mock.cloud, "agent", "agent-2", "other");
  const config = { repo_url: "https://github.com/acme/agents", deployment_type: "prod" };
  await mock.cloud("POST", "/v2/deployments", githubBody({ name: "typed", source_config: config }));
  const list = async (query: string) => namesOf(await mock.cloud("GET", `/v2/deployments?${query}`));
  expect(await list("name=agent")).toEqual(["agent"]);
  expect(await list("name_contains=agent")).toEqual(["agent-2", "agent"]);
  expect(await list("deployment_type=prod")).toEqual(["typed"]);
  expect(await list(`deployment_ids=${ids.other},${ids.agent}`)).toEqual(["other", "agent"]);
  expect(await list("status=AWAITING_DATABASE")).toEqual([]);
  expect(await list("status=READY&limit=1")).toEqual(["typed"]);
});

test("a listing is filtered by image version, listener and tag values", async () => {
  await using mock = await startForTest();
  await mock.selfHosted("POST", "/v2/deployments", dockerBody({ name: "plain" }));
  const listener = { compute_type: "k8s", compute_id: "cluster", compute_config: {} };
  const { body: made } = await mock.selfHosted("POST", "/v2/listeners", listener);
  const config = { resource_spec: {}, listener_id: made.id };
  const { body } = await mock.selfHosted(
    "POST",
    "/v2/deployments",
    dockerBody({ name: "remote", source_config: config, source_revision_config: { image_uri: "host:5000/image:2" } }),
  );
  await fetch(`${mock.url}/_mock/deployments/${body.id}`, {
    method: "PATCH",
    body: JSON.stringify({ tag_value_ids: ["t1"] }),
  });
  const list = async (query: string) => namesOf(await mock.selfHosted("GET", `/v2/deployments?${query}`));
  expect(await list("image_version=1.2.3")).toEqual(["plain"]);
  expect(await list("remote_reconciled=true")).toEqual(["remote"]);
  expect(await list("remote_reconciled=false")).toEqual(["plain"]);
  expect(await list("tag_value_ids=t0,t1")).toEqual(["remote"]);
});

test.each([
  ["limit=0", ["query", "limit"], "greater_than_equal"],
  ["limit=101", ["query", "limit"], "less_than_equal"],
  ["limit=ten", ["query", "limit"], "int_parsing"],
  ["offset=-1", ["query", "offset"], "greater_than_equal"],
  ["remote_reconciled=maybe", ["query", "remote_reconciled"], "bool_parsing"],
  ["deployment_type=huge", ["query", "deployment_type"], "enum"],
])("a listing with %s is refused with 422", async (query, loc, type) => {
  await using mock = await startForTest();
  const response = await mock.cloud("GET", `/v2/deployments?${query}`);
  expect(response).toMatchObject({ status: 422, body: { detail: [{ loc, type }] } });
});

test("all invalid parts of a request are reported together", async () => {
  await using mock = await startForTest();
  const { body } = await mock.cloud("GET", "/v2/deployments/nonsense/revisions?limit=0");
  expect(body.detail.map(({ loc }: { loc: string[] }) => loc)).toEqual([
    ["path", "deployment_id"],
    ["query", "limit"],
  ]);
});

test("an id that isn't a UUID gets 422, an unknown one 404", async () => {
  await using mock = await startForTest();
  const broken = await mock.cloud("GET", "/v2/deployments/nonsense");
  expect(broken).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ["path", "deployment_id"], type: "uuid_parsing" }] },
  });
  const id = "00000000-0000-4000-8000-00000000000f";
  const unknown = await mock.cloud("GET", `/v2/deployments/${id}`);
  expect(unknown).toMatchObject({ status: 404, body: { detail: `Deployment ID ${id} not found.` } });
  const { agent } = await makeSeveral(mock.cloud, "agent");
  const revision = await mock.cloud("GET", `/v2/deployments/${agent}/revisions/${id}`);
  expect(revision).toMatchObject({ status: 404, body: { detail: `Revision ID ${id} not found.` } });
});

test("a known path with another method responds with 405 and the allowed methods, an unknown path with 404", async () => {
  await using mock = await startForTest();
  const put = await mock.cloud("PUT", "/v2/deployments");
  expect(put).toMatchObject({ status: 405, body: { detail: "Method Not Allowed" } });
  expect(put.headers.get("allow")).toBe("GET, POST, DELETE");
  expect(await mock.cloud("GET", "/v2/nothing")).toMatchObject({ status: 404, body: { detail: "Not Found" } });
});

test("every response carries a date and a request id", async () => {
  await using mock = await startForTest();
  for (const path of ["/v2/deployments", "/v2/nothing", "/docs", "/openapi.json", "/_mock/health"]) {
    const { headers } = await mock.cloud("GET", path);
    expect(headers.get("date"), path).toBeTruthy();
    expect(headers.get("x-request-id"), path).toBeTruthy();
  }
});

test("description and reference need no key and no other site in both editions", async () => {
  await using mock = await startForTest();
  for (const url of [mock.url, mock.selfHostedUrl]) {
    const document = (await (await fetch(`${url}/openapi.json`)).json()) as { info: { version: string } };
    expect(document.info.version).toBe("0.1.0");
    const page = await (await fetch(`${url}/docs`)).text();
    expect(page).not.toMatch(/(src|href)="(https?:)?\/\//);
    for (const [, asset] of page.matchAll(/(?:src|href)="(\.\/[^"]+)"/g)) {
      const response = await fetch(new URL(asset as string, `${url}/docs`));
      expect(response.status, asset).toBe(200);
      await response.arrayBuffer();
    }
  }
  expect((await fetch(`${mock.url}/docs/package.json`)).status).toBe(404);
});

test("HEAD is handled like GET, and a path that can't be decoded doesn't crash the server", async () => {
  await using mock = await startForTest();
  expect((await mock.cloud("HEAD", "/v2/deployments")).status).toBe(200);
  expect((await mock.cloud("OPTIONS", "/v2/deployments")).status).toBe(405);
  expect((await mock.cloud("GET", "/%E0%A4%A")).status).toBe(404);
  expect((await mock.cloud("GET", "/v2/deployments/%E0%A4%A")).status).toBe(422);
  expect((await mock.cloud("GET", "/agents/%E0%A4%A/ok")).status).toBe(404);
});
