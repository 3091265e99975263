import type { DeploymentRecord } from "../../mock-server/control-plane/store/records.ts";
import type { MockServer } from "../../mock-server/server.ts";
import { startMockServer } from "../../mock-server/server.ts";
import { storedDeployments } from "../../test/kit/stored.ts";
import { changeContent } from "./filled-auth.ts";
import { load, requestText } from "./load.ts";

/** A filled mock server and what the operations need to know about it. */
export interface FilledStore {
  mock: MockServer;
  port: number;
  host: string;
  /** How many deployments each of the two editions has. */
  size: number;
  cloud: DeploymentRecord[];
  selfHosted: DeploymentRecord[];
  /** The listener that one deployment uses. */
  listenerId: string;
  /** Which deployments a repository is built for: the same few in every store. */
  repository: string;
}

/** The number of deployments that count as "few" in every store. */
export const few = 3;
export const repository = "https://github.com/acme/built";
export const [commonTag, rareTag] = ["10000000-0000-4000-8000-000000000001", "10000000-0000-4000-8000-000000000002"];

/**
 * The request body of one cloud deployment. The first few build on pushes, the next few have rare values in every
 * field, and the others are all alike.
 */
function cloudBody(number: number) {
  const secrets = [{ name: "TOKEN", value: `secret-value-of-${number}` }];
  if (number < few) {
    const source_config = { repo_url: repository, build_on_push: true, deployment_type: "dev" };
    const source_revision_config = { repo_ref: "main", graph_config_path: "graph.json" };
    return { name: `built-${number}`, source: "github", source_config, source_revision_config, secrets };
  }
  const isRare = number < 2 * few;
  return {
    name: isRare ? `rare-${number}` : `agent-${number}`,
    source: "internal_source",
    source_config: { deployment_type: isRare ? "prod" : "dev" },
    source_revision_config: {},
    secrets,
  };
}

function imageBody(number: number, listenerId: string) {
  const isRare = number < few;
  return {
    name: isRare ? `unusual-${number}` : `image-${number}`,
    source: "external_docker",
    source_config: { resource_spec: {}, ...(isRare ? { listener_id: listenerId } : {}) },
    source_revision_config: { image_uri: isRare ? "acme/agent:2" : "acme/agent:1" },
    secrets: [],
  };
}

/** Starts a server and creates `size` deployments in each edition. Cloud deployments have ten revisions each. */
export async function fillStore(size: number): Promise<FilledStore> {
  const mock = await startMockServer({ port: 0, transitions: "immediate" });
  mock.transitions.set({ rules: [{ name: "rare-*", stick: "BUILDING" }] });
  const { port: portText, host } = new URL(mock.url);
  const port = Number(portText);
  const post = (path: string, count: number, body: (number: number) => unknown) =>
    load(port, 16, (number) => requestText("POST", path, host, JSON.stringify(body(number))), 600_000, count);
  await post("/api-host/v2/listeners", size, (number) => ({
    compute_type: "k8s",
    compute_id: `cluster-${number}`,
    compute_config: { k8s_namespaces: null },
  }));
  const listeners = await fetch(`${mock.selfHostedUrl}/v2/listeners?limit=1`, { headers: { "x-api-key": "bench" } });
  const listenerId = ((await listeners.json()) as { resources: { id: string }[] }).resources[0]?.id ?? "";
  await post("/v2/deployments", size, cloudBody);
  await post("/api-host/v2/deployments", size, (number) => imageBody(number, listenerId));
  const cloud = (await storedDeployments(mock)).filter(({ edition }) => edition === "cloud");
  const pathOf = (number: number) => `/v2/deployments/${cloud[number % size]?.id}/revisions`;
  await load(port, 16, (number) => requestText("POST", pathOf(number), host, "{}"), 600_000, 9 * size);
  await changeContent({ mock }, ({ deployments }) => {
    for (const record of deployments) {
      record.tagValueIds = record.name.startsWith("rare-") ? [commonTag, rareTag] : [commonTag];
    }
  });
  const filled = await storedDeployments(mock);
  return {
    mock,
    port,
    host,
    size,
    cloud: filled.filter(({ edition }) => edition === "cloud"),
    selfHosted: filled.filter(({ edition }) => edition === "self-hosted"),
    listenerId,
    repository,
  };
}
