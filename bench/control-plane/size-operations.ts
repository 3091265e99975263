import type { DeploymentRecord } from "../../mock-server/control-plane/store/records.ts";
import { addTokens, anAgent, callersUser, providerName } from "./filled-auth.ts";
import { commonTag, type FilledStore, few, rareTag } from "./filled-store.ts";
import { requestText } from "./load.ts";

/** One operation and the data it is measured on. */
export interface MeasuredOperation {
  name: string;
  text(number: number): string;
  /** Number of measured requests; a third as many warm up. @default 900 */
  count?: number;
  /** Creates what `requests` requests consume. */
  prepare?(requests: number): void | Promise<void>;
  /** Whether the server should refuse the request. */
  isRefused?: boolean;
}

/** Writes are measured with fewer requests, so that the store of ten stays small. */
const writes = 150;

/**
 * Every operation that reads or writes deployments, revisions, logs, listeners and tokens. `caller` is the sender of
 * the requests as the auth service identifies it.
 */
export function measuredOperations(store: FilledStore, caller: string): MeasuredOperation[] {
  const { mock, host, size, cloud, selfHosted, listenerId, repository } = store;
  const common = cloud[Math.floor((2 * few + size) / 2)] as DeploymentRecord;
  const path = `/v2/deployments/${common.id}`;
  const revision = `${path}/revisions/${common.latestRevisionId}`;
  const project = `/v1/projects/${common.id}`;
  const get = (target: string) => () => requestText("GET", target, host);
  const send = (method: string, target: string, body: object) => () =>
    requestText(method, target, host, JSON.stringify(body));
  const remove = (target: string) => requestText("DELETE", target, host);
  const list = (name: string, query: string, prefix = "") => ({
    name: `list: ${name}`,
    text: get(`${prefix}/v2/deployments?limit=5${query}`),
  });
  const deep = size - few;
  let serial = 0;
  const temporaryBody = (source = "internal_source") => ({
    name: `temporary-${serial++}`,
    source,
    source_config: {},
    source_revision_config: {},
    secrets: [],
  });
  let made: string[] = [];
  const makeDeployments = async (requests: number) => {
    made = [];
    for (let number = 0; number < requests; number++) {
      const { deployments } = await mock.seed({ deployments: [temporaryBody() as never] });
      made.push(...deployments.map(({ id }) => id));
    }
  };
  const next = () => made.pop() ?? "";
  const listenerBody = () => ({
    compute_type: "k8s",
    compute_id: `temporary-${serial++}`,
    compute_config: { k8s_namespaces: null },
  });
  const makeListeners = async (requests: number) => {
    const { listeners } = await mock.seed({
      listeners: Array.from({ length: requests }, () => listenerBody() as never),
    });
    made = listeners.map(({ id }) => id);
  };
  return [
    list("no filter", ""),
    list("no filter, deep offset", `&offset=${deep}`),
    list("exact name", `&name=${common.name}`),
    list("deployment_ids", `&deployment_ids=${common.id},${cloud[0]?.id}`),
    list("name_contains, few", "&name_contains=built"),
    list("name_contains, few, a long part", `&name_contains=${common.name}`),
    list("name_contains, many", "&name_contains=-"),
    list("name_contains, many, deep offset", `&name_contains=-&offset=${deep}`),
    list("name_contains, many, deep offset, a longer part", `&name_contains=ent-&offset=${size - 3 * few}`),
    list("name_contains, none", "&name_contains=built-x"),
    list("status, few", "&status=AWAITING_DATABASE"),
    list("status, many", "&status=READY"),
    list("status, many, deep offset", `&status=READY&offset=${size - 2 * few}`),
    list("status, none", "&status=AWAITING_DELETE"),
    list("deployment_type, few", "&deployment_type=prod"),
    list("deployment_type, many", "&deployment_type=dev"),
    list("tag_value_ids, few", `&tag_value_ids=${rareTag}`),
    list("tag_value_ids, many", `&tag_value_ids=${commonTag}`),
    list("tag_value_ids, either", `&tag_value_ids=${rareTag},${commonTag}`),
    list("image_version, few", "&image_version=2", "/api-host"),
    list("image_version, many", "&image_version=1", "/api-host"),
    list("remote_reconciled, few", "&remote_reconciled=true", "/api-host"),
    list("remote_reconciled, many", "&remote_reconciled=false", "/api-host"),
    list("two large sets without a common one", "&image_version=1&remote_reconciled=true", "/api-host"),
    list("four filters, few", `&name_contains=rare&status=AWAITING_DATABASE&tag_value_ids=${commonTag}`),
    { name: "get deployment", text: get(path) },
    { name: "patch without a revision", text: send("PATCH", path, { display_name: "x" }) },
    { name: "list revisions", text: get(`${path}/revisions?limit=5`) },
    { name: "list revisions by status", text: get(`${path}/revisions?limit=5&status=DEPLOYED`) },
    { name: "get revision", text: get(revision) },
    { name: "interrupt revision, finished", text: send("POST", `${revision}/interrupt`, {}), isRefused: true },
    {
      name: "build log",
      text: send("POST", `/v1/projects/${common.id}/revisions/${common.latestRevisionId}/build_logs`, {}),
    },
    {
      name: "deploy log",
      text: send("POST", `/v1/projects/${common.id}/revisions/${common.latestRevisionId}/deploy_logs`, {}),
    },
    { name: "deploy log of all revisions", text: send("POST", `${project}/deploy_logs`, {}) },
    { name: "upload-url", text: send("POST", `${path}/upload-url`, {}) },
    { name: "push-token, other source", text: send("POST", `${path}/push-token`, {}), isRefused: true },
    { name: "list listeners", text: get("/api-host/v2/listeners?limit=5") },
    { name: "list listeners, deep offset", text: get(`/api-host/v2/listeners?limit=5&offset=${deep}`) },
    { name: "get listener", text: get(`/api-host/v2/listeners/${listenerId}`) },
    { name: "patch listener", text: send("PATCH", `/api-host/v2/listeners/${listenerId}`, { version: "2" }) },
    { name: "delete listener in use", text: () => remove(`/api-host/v2/listeners/${listenerId}`), isRefused: true },
    { name: "list integrations", text: get("/v1/integrations/github/install") },
    {
      name: "authenticate",
      text: send("POST", "/v2/auth/authenticate", { provider: providerName, user_id: callersUser, scopes: ["read"] }),
    },
    { name: "get provider", text: get(`/v2/auth/providers/${providerName}`) },
    { name: "list providers", text: get("/v2/auth/providers") },
    { name: "list tokens of the caller", text: get("/v2/auth/tokens") },
    { name: "token exists", text: get(`/v2/auth/tokens/exists?provider_id=${providerName}`) },
    { name: "Slack token exists", text: get("/v2/auth/tokens/workspace/slack/exists") },
    { name: "list connections", text: get(`/v2/auth/agents/${anAgent}/connections`) },
    {
      name: "label token",
      text: send("PATCH", "/v2/auth/tokens/labelled/metadata", { provider_account_label: "x", is_default: true }),
      prepare: () => addTokens(store, ["labelled"], caller),
    },
    {
      name: "delete token",
      text: () => remove(`/v2/auth/tokens/${next()}`),
      count: writes,
      prepare: async (requests) => {
        made = Array.from({ length: requests }, () => `temporary-${serial++}`);
        await addTokens(store, made, caller);
      },
    },
    { name: "create listener", text: () => send("POST", "/api-host/v2/listeners", listenerBody())(), count: writes },
    {
      name: "delete listener",
      text: () => remove(`/api-host/v2/listeners/${next()}`),
      count: writes,
      prepare: makeListeners,
    },
    {
      name: "patch with a revision",
      text: send("PATCH", path, { secrets: [{ name: "A", value: "abcdef" }] }),
      count: writes,
    },
    { name: "create revision", text: send("POST", `${path}/revisions`, {}), count: writes },
    { name: "redeploy revision", text: () => requestText("POST", `${revision}/redeploy`, host), count: writes },
    {
      name: "push that three deployments build from",
      text: send("POST", "/_mock/push", { repo_url: repository, ref: "main", commit: "1".repeat(40) }),
      count: writes,
    },
    {
      name: "push that none builds from",
      text: send("POST", "/_mock/push", {
        repo_url: "https://github.com/acme/none",
        ref: "main",
        commit: "1".repeat(40),
      }),
    },
    { name: "create", text: () => send("POST", "/v2/deployments", temporaryBody())(), count: writes },
    {
      name: "create, name in use",
      text: send("POST", "/v2/deployments", { ...temporaryBody(), name: common.name }),
      isRefused: true,
    },
    {
      name: "seed one deployment",
      text: () => send("POST", "/_mock/seed", { deployments: [temporaryBody()] })(),
      count: writes,
    },
    { name: "delete", text: () => remove(`/v2/deployments/${next()}`), count: writes, prepare: makeDeployments },
    {
      name: "delete ten at once",
      text: () => remove(`/v2/deployments?deployment_ids=${Array.from({ length: 10 }, next).join(",")}`),
      count: 30,
      prepare: (requests) => makeDeployments(10 * requests),
    },
    {
      name: "delete one that isn't there",
      text: () => remove(`/v2/deployments/${selfHosted[0]?.id}`),
      isRefused: true,
    },
  ];
}

const headers = { "x-api-key": "bench" };

/** Removes the deployments and listeners that operations have created. */
export async function removeTemporary({ mock }: FilledStore): Promise<void> {
  for (const url of [`${mock.url}/v2/deployments`, `${mock.selfHostedUrl}/v2/deployments`]) {
    for (;;) {
      const response = await fetch(`${url}?limit=100&name_contains=temporary-`, { headers });
      const { resources } = (await response.json()) as { resources: { id: string }[] };
      if (resources.length === 0) break;
      const ids = resources.map(({ id }) => id).join(",");
      await fetch(`${url}?deployment_ids=${ids}`, { method: "DELETE", headers });
    }
  }
  for (;;) {
    const response = await fetch(`${mock.selfHostedUrl}/v2/listeners?limit=100`, { headers });
    const { resources } = (await response.json()) as { resources: { id: string; compute_id: string }[] };
    const temporary = resources.filter(({ compute_id: computeId }) => computeId.startsWith("temporary-"));
    if (temporary.length === 0) break;
    for (const { id } of temporary) {
      await fetch(`${mock.selfHostedUrl}/v2/listeners/${id}`, { method: "DELETE", headers });
    }
  }
}
