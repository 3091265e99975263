import { hello, type Prober, unknownId } from "./prober.ts";

/** Assistants, their versions, and descriptions of their graphs. */
export async function probeAssistants({ record }: Prober): Promise<void> {
  const search = (name: string, body: object) => record(`assistants-search${name}`, "POST", "/assistants/search", body);
  await search("", { limit: 2 });
  await search("-all", {});
  await search("-select", { limit: 1, select: ["assistant_id", "name"] });
  await record("assistants-count", "POST", "/assistants/count", {});
  const create = (name: string, body: object) => record(`assistants-create${name}`, "POST", "/assistants", body);
  const { assistant_id: id } = await create("", {
    graph_id: "agent",
    name: "My A",
    metadata: { k: "v" },
    config: { configurable: { x: 1 } },
    context: { y: 2 },
    description: "d",
  });
  const lost = await create("-unknown-graph", { graph_id: "nograph" });
  await record("err-missing-graph", "GET", `/assistants/${lost?.assistant_id ?? unknownId}/graph`);
  await create("-dup", { graph_id: "agent", assistant_id: id });
  await create("-dup-donothing", { graph_id: "agent", assistant_id: id, if_exists: "do_nothing" });
  await record("assistants-get", "GET", `/assistants/${id}`);
  await record("assistants-get-by-graph", "GET", "/assistants/agent");
  await record("assistants-patch", "PATCH", `/assistants/${id}`, { name: "v2", metadata: { k2: 1 } });
  await record("assistants-versions", "POST", `/assistants/${id}/versions`, { limit: 10 });
  await record("assistants-latest", "POST", `/assistants/${id}/latest`, { version: 1 });
  await record("assistants-latest-bad", "POST", `/assistants/${id}/latest`, { version: 99 });
  const look = (name: string, path: string, body?: unknown) =>
    record(`assistants-${name}`, "GET", `/assistants/agent/${path}`, body);
  await look("graph", "graph");
  await look("graph-xray", "graph?xray=true");
  await look("graph-xray-int", "graph?xray=1");
  await look("schemas", "schemas");
  await look("schemas-withbody", "schemas", {});
  await look("subgraphs", "subgraphs");
  await look("subgraphs-recurse", "subgraphs?recurse=true");
  await look("subgraphs-ns", "subgraphs/child");
  await record("assistants-run-with-config", "POST", "/runs/wait", { assistant_id: id, input: hello });
  await record("assistants-delete", "DELETE", `/assistants/${id}`);
  await record("assistants-delete-again", "DELETE", `/assistants/${id}`);
  await record("assistants-versions-unknown", "POST", `/assistants/${unknownId}/versions`, {});
}

/** The store. */
export async function probeStore({ record }: Prober): Promise<void> {
  const put = (name: string, body: object) => record(`store-${name}`, "PUT", "/store/items", body);
  await put("put", { namespace: ["users", "u1"], key: "prefs", value: { theme: "dark" } });
  await put("put2", { namespace: ["users", "u2"], key: "prefs", value: { theme: "light" } });
  const indexed = { namespace: ["users", "u2"], key: "p2", value: { theme: "light" }, index: ["theme"], ttl: 5 };
  await put("put-index", indexed);
  await record("store-get", "GET", "/store/items?namespace=users.u1&key=prefs");
  await record("store-get-missing", "GET", "/store/items?namespace=users.u1&key=nope");
  const search = (name: string, body: object) => record(`store-search${name}`, "POST", "/store/items/search", body);
  await search("", { namespace_prefix: ["users"], limit: 10 });
  await search("-filter", { namespace_prefix: ["users"], filter: { theme: "light" }, query: "x" });
  await search("-empty-prefix", { namespace_prefix: [] });
  await record("store-namespaces", "POST", "/store/namespaces", { prefix: ["users"], max_depth: 2 });
  await record("store-namespaces-all", "POST", "/store/namespaces", {});
  const item = { namespace: ["users", "u1"], key: "prefs" };
  await record("store-delete", "DELETE", "/store/items", item);
  await record("store-delete-again", "DELETE", "/store/items", item);
  await put("bad-namespace", { namespace: ["a.b"], key: "k", value: {} });
  await put("empty-namespace", { namespace: [], key: "k", value: {} });
  await put("bad-value", { namespace: ["a"], key: "k", value: "str" });
}

/** Crons. */
export async function probeCrons({ record }: Prober): Promise<void> {
  const id = "11111111-1111-4111-8111-111111111111";
  const schedule = "* * * * *";
  await record("crons-create", "POST", "/runs/crons", { assistant_id: "agent", schedule });
  await record("crons-create-valid", "POST", "/runs/crons", { thread_id: id, assistant_id: id, schedule });
  await record("crons-search", "POST", "/runs/crons/search", {});
  await record("crons-count", "POST", "/runs/crons/count", {});
  await record("crons-delete", "DELETE", `/runs/crons/${id}`);
  await record("crons-patch", "PATCH", `/runs/crons/${id}`, { enabled: false });
  await record("crons-thread", "POST", `/threads/${id}/runs/crons`, { assistant_id: "agent", schedule });
}
