import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { checkout } from "../run-command.ts";
import { code, page, table } from "./markdown.ts";

const connection = {
  GRAPHDEPLOY_API_KEY: "API key of the control plane",
  GRAPHDEPLOY_WORKSPACE_ID: "workspace to work in; the key's own without it",
  GRAPHDEPLOY_REGION: "region of the hosted service, `us` or `eu`",
  GRAPHDEPLOY_BASE_URL: "control plane of a self-hosted installation, `https://<host>/api-host`, or of a mock server",
  GRAPHDEPLOY_DIALECT: "names of fields on the wire: `auto`, `graph` or `langgraph`",
  GRAPHDEPLOY_AGENT_HOSTS: "further hosts whose agent servers may get the API key, separated by commas",
  GRAPHDEPLOY_ALLOW_HTTP_HOSTS: "hosts that plain http is allowed to, `host` or `host:port`, separated by commas",
};

const service = {
  LANGSMITH_API_KEY: "API key, used last",
  LANGGRAPH_HOST_API_KEY: "API key, after `LANGSMITH_API_KEY`",
  LANGCHAIN_API_KEY: "API key, after `LANGGRAPH_HOST_API_KEY`",
  LANGSMITH_WORKSPACE_ID: "workspace",
  LANGSMITH_TENANT_ID: "workspace, after `LANGSMITH_WORKSPACE_ID`",
  LANGGRAPH_HOST_URL: "control plane",
  LANGSMITH_ENDPOINT: "another API of the service: its host tells the region, nothing else",
};

const servers = {
  GRAPHDEPLOY_MOCK_ADMIN_TOKEN: "token that the mock server's admin API requires, as `--admin-token`",
  LANGGRAPH_CONFIG: "of a project: `configurable` and `context` of default assistants, by graph, as JSON",
};

const written = {
  GRAPHDEPLOY_MANAGED_BY: "ownership marker",
  GRAPHDEPLOY_PREVIEW_PR_: "second marker of a preview, followed by the number of its pull request",
  GRAPHDEPLOY_FILE_: "second marker of what a declarative file made, followed by a digest of the owner",
};

const network = {
  HTTPS_PROXY: "proxy for https, an address with its scheme; the lower-case name wins",
  HTTP_PROXY: "proxy for http, in the same form",
  NO_PROXY: "hosts that are reached without a proxy: `host`, `host:port`, `.domain`, `*.domain` or `*`",
};

/**
 * The file that reads the connection's variables, including the service's own. Other sources mention those only as
 * reserved names.
 */
const settingsFile = "core/settings.ts";

/**
 * The environment variables that the package reads or writes.
 *
 * @throws Error when the variables in the sources differ from those that this page describes
 */
export async function environmentPage(): Promise<string> {
  const described = [connection, service, servers, written].flatMap((group) => Object.keys(group));
  const found = await namesInSources();
  const missing = found.filter((name) => !described.includes(name));
  const outdated = described.filter((name) => !found.includes(name));
  if (missing.length + outdated.length > 0) {
    throw new Error(
      `scripts/reference/environment-page.ts: not described: ${missing.join(", ") || "none"}; in no source: ${outdated.join(", ") || "none"}.`,
    );
  }
  const rows = (group: Readonly<Record<string, string>>) =>
    table(
      ["variable", "meaning"],
      Object.entries(group).map(([name, meaning]) => [code(name), meaning]),
    );
  return page(
    "Environment variables",
    "An explicit setting wins over `GRAPHDEPLOY_*`, which wins over the stack's configuration, which wins over the service's own variables.",
    "## Connection",
    rows(connection),
    "## The service's own",
    rows(service),
    "## Servers",
    rows(servers),
    "## Network",
    rows(network),
    "## Written into deployments",
    "Entries in the environment of a deployment. Neither can be declared.",
    rows(written),
  );
}

async function namesInSources(): Promise<string[]> {
  const files = globSync("{core,provider,action,cli,mock-server}/**/*.ts", { cwd: checkout });
  const names = new Set<string>();
  for (const file of files) {
    const text = await readFile(join(checkout, file), "utf8");
    const pattern =
      file === settingsFile
        ? /\b(?:GRAPHDEPLOY|LANGSMITH|LANGGRAPH|LANGCHAIN)_[A-Z_]+/g
        : /\bGRAPHDEPLOY_[A-Z_]+|\bLANGGRAPH_CONFIG\b/g;
    for (const [name] of text.matchAll(pattern)) names.add(name);
  }
  return [...names];
}
