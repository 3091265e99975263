import { expect, test } from "vitest";
import type { ConfigError } from "../../../core/client/errors.ts";
import { resolveSettings, type Settings, type SettingsSources } from "../../../core/settings.ts";

function failureOf(sources: SettingsSources): ConfigError {
  const [problem, ...others] = resolveSettings(sources).problems;
  expect(others).toEqual([]);
  if (problem === undefined) throw new Error("Nothing was wrong.");
  return problem;
}

function settingsOf(sources: SettingsSources): Settings {
  const { settings, problems } = resolveSettings(sources);
  if (settings === undefined) throw new Error(problems.map(({ message }) => message).join(" "));
  return settings;
}

test("all problems are returned together", () => {
  const { settings, problems, hasApiKey } = resolveSettings({
    explicit: { workspaceId: "two words", baseUrl: "ftp://host.example", dialect: "mars" },
    env: {},
  });
  expect(settings).toBeUndefined();
  expect(problems.map(({ path }) => path)).toEqual(["apiKey", "workspaceId", "baseUrl", "dialect"]);
  expect(hasApiKey).toBe(false);
});

test("an invalid key is still a key", () => {
  expect(resolveSettings({ env: { GRAPHDEPLOY_API_KEY: "two words" } })).toMatchObject({ hasApiKey: true });
  expect(resolveSettings({ explicit: { apiKeyEnv: "UNSET" }, env: {} })).toMatchObject({ hasApiKey: true });
});

const everySource: SettingsSources = {
  explicit: { apiKey: "explicit-key", workspaceId: "explicit-workspace", baseUrl: "https://explicit.example/api-host" },
  env: {
    GRAPHDEPLOY_API_KEY: "own-key",
    GRAPHDEPLOY_WORKSPACE_ID: "own-workspace",
    GRAPHDEPLOY_BASE_URL: "https://own.example/api-host",
    LANGSMITH_API_KEY: "service-key",
    LANGSMITH_WORKSPACE_ID: "service-workspace",
    LANGGRAPH_HOST_URL: "https://service.example/api-host",
  },
  fallback: { apiKey: "file-key", workspaceId: "file-workspace", baseUrl: "https://file.example/api-host" },
};
const { fallback, env } = everySource;
const serviceOnly = Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("GRAPHDEPLOY_")));

test.each<[string, SettingsSources]>([
  ["explicit", everySource],
  ["own", { ...everySource, explicit: {} }],
  ["file", { env: serviceOnly, ...(fallback === undefined ? {} : { fallback }) }],
  ["service", { env: serviceOnly }],
])("the %s source wins over those after it", (name, sources) => {
  const settings = settingsOf(sources);
  expect(settings.apiKey).toBe(`${name}-key`);
  expect(settings.workspaceId).toBe(`${name}-workspace`);
  expect(settings.baseUrl).toBe(`https://${name}.example/api-host`);
});

test.each(["LANGSMITH_API_KEY", "LANGGRAPH_HOST_API_KEY", "LANGCHAIN_API_KEY"])("the key is found in %s", (name) => {
  expect(settingsOf({ env: { [name]: " key " } }).apiKey).toBe("key");
});

test("an empty argument counts as none", () => {
  expect(settingsOf({ explicit: { apiKey: "" }, env: { GRAPHDEPLOY_API_KEY: "own-key" } }).apiKey).toBe("own-key");
});

test("a missing key names every place that was searched", () => {
  const error = failureOf({ env: {}, names: { explicit: "the input api-key", fallback: "graphdeploy:apiKey" } });
  expect(error.message).toBe(
    "No API key: looked for the input api-key, GRAPHDEPLOY_API_KEY, graphdeploy:apiKey, LANGSMITH_API_KEY, LANGGRAPH_HOST_API_KEY and LANGCHAIN_API_KEY. Set GRAPHDEPLOY_API_KEY to a key of your workspace.",
  );
});

test("the hint about a missing key names what the door advises", () => {
  const error = failureOf({ env: {}, names: { explicit: "the input api-key", advised: "the input api-key" } });
  expect(error.hint).toBe("Set the input api-key to a key of your workspace.");
});

test("apiKeyEnv names the variable that holds the key", () => {
  expect(settingsOf({ explicit: { apiKeyEnv: "MY_KEY" }, env: { MY_KEY: "mine" } }).apiKey).toBe("mine");
  expect(failureOf({ explicit: { apiKeyEnv: "MY_KEY" }, env: { GRAPHDEPLOY_API_KEY: "own" } }).path).toBe("apiKeyEnv");
});

test.each<[string, SettingsSources]>([
  ["apiKey", { env: { LANGSMITH_API_KEY: "zwei woerter" } }],
  ["apiKey", { explicit: { apiKey: "zeilen\numbruch" }, env: {} }],
  ["workspaceId", { explicit: { apiKey: "key", workspaceId: "werk raum" }, env: {} }],
])("a value of %s that no header can carry is refused without showing it", (path, sources) => {
  const error = failureOf(sources);
  expect(error.path).toBe(path);
  expect(error.message).not.toMatch(/zwei|zeilen|werk/);
});

test.each([
  [{}, "https://api.host.langchain.com"],
  [{ GRAPHDEPLOY_REGION: "eu" }, "https://eu.api.host.langchain.com"],
  [{ LANGSMITH_ENDPOINT: "https://eu.api.smith.langchain.com" }, "https://eu.api.host.langchain.com"],
  [{ LANGSMITH_ENDPOINT: "https://proxy.example" }, "https://api.host.langchain.com"],
  [{ GRAPHDEPLOY_BASE_URL: "http://127.0.0.1:8124/" }, "http://127.0.0.1:8124"],
  [{ GRAPHDEPLOY_BASE_URL: "https://host.example/api-host//" }, "https://host.example/api-host"],
])("with %o the control plane is %s", (variables, baseUrl) => {
  expect(settingsOf({ env: { GRAPHDEPLOY_API_KEY: "key", ...variables } }).baseUrl).toBe(baseUrl);
});

test.each([
  ["http://host.example/api-host", "isn't https"],
  ["ftp://localhost", "isn't https"],
  ["host.example", "is not a URL"],
  ["https://user:pass@host.example", "contains a user name or password"],
  ["https://host.example?a=1", "has a query or fragment"],
])("the base URL %s is refused because it %s", (baseUrl, why) => {
  const error = failureOf({ explicit: { apiKey: "key", baseUrl }, env: {} });
  expect(error.path).toBe("baseUrl");
  expect(error.message).toContain(why);
  expect(error.message).not.toContain("pass@");
});

test("a region and a base URL of one source must agree", () => {
  const both = { apiKey: "key", region: "eu", baseUrl: "https://api.host.langchain.com" };
  expect(failureOf({ explicit: both, env: {} }).message).toContain("name different control planes");
  expect(settingsOf({ explicit: { ...both, region: "us" }, env: {} }).baseUrl).toBe(both.baseUrl);
});

test("an explicit region wins over a base URL in the environment", () => {
  const sources = { explicit: { apiKey: "key", region: "eu" }, env: { GRAPHDEPLOY_BASE_URL: "https://own.example" } };
  expect(settingsOf(sources).baseUrl).toBe("https://eu.api.host.langchain.com");
});

test.each(["region", "dialect"] as const)("an unknown %s is refused with the known ones", (field) => {
  const error = failureOf({ explicit: { apiKey: "key", [field]: "mars" }, env: {} });
  expect(error.path).toBe(field);
  expect(error.message).toContain('"mars" is unknown');
});

test("agent hosts are read as a list", () => {
  const settings = settingsOf({
    env: { GRAPHDEPLOY_API_KEY: "key", GRAPHDEPLOY_AGENT_HOSTS: "a.example, b.example," },
  });
  expect(settings.agentHosts).toEqual(["a.example", "b.example"]);
});

test("plain http to a host is allowed by name, from every source", () => {
  const baseUrl = "http://mock:8124";
  const allowed: SettingsSources[] = [
    { explicit: { apiKey: "key", baseUrl, allowHttpHosts: ["other", "mock:8124"] }, env: {} },
    { explicit: { apiKey: "key", baseUrl }, env: { GRAPHDEPLOY_ALLOW_HTTP_HOSTS: "other, MOCK," } },
    { env: { GRAPHDEPLOY_API_KEY: "key", LANGGRAPH_HOST_URL: baseUrl, GRAPHDEPLOY_ALLOW_HTTP_HOSTS: "mock" } },
    { explicit: { apiKey: "key" }, env: {}, fallback: { baseUrl, allowHttpHosts: "mock" } },
  ];
  for (const sources of allowed) expect(settingsOf(sources).baseUrl).toBe(baseUrl);
});

test.each<[string, string[]]>([
  ["http://mock", []],
  ["http://mock", ["other"]],
  ["http://mock", ["mock:8124"]],
  ["http://mock:8125", ["mock:8124"]],
  ["http://mock.example", ["mock"]],
  ["http://agents.default.svc.cluster.local/api-host", ["svc.cluster.local", ".svc.cluster.local"]],
  ["ftp://mock", ["mock"]],
])("plain http to %s isn't allowed by %j", (baseUrl, allowHttpHosts) => {
  const error = failureOf({ explicit: { apiKey: "key", baseUrl, allowHttpHosts }, env: {} });
  expect(error.path).toBe("baseUrl");
  expect(error.message).toContain("isn't https: the API key could be read in transit");
});

test.each<[string, string]>([
  ["http://mock:80/api-host", "mock:80"],
  ["http://[FD00::1]:8124", "[fd00::1]:8124"],
  ["http://agents.default.svc.cluster.local/api-host", "agents.default.svc.cluster.local"],
])("plain http to %s is allowed by %s", (baseUrl, host) => {
  expect(() => settingsOf({ explicit: { apiKey: "key", baseUrl, allowHttpHosts: host }, env: {} })).not.toThrow();
});

test("an error about plain http says how to allow it", () => {
  expect(failureOf({ explicit: { apiKey: "key", baseUrl: "http://mock:8124" }, env: {} }).message).toBe(
    `baseUrl: "http://mock:8124/" isn't https: the API key could be read in transit. Use https. To allow a host inside your own cluster or Compose network, name it: GRAPHDEPLOY_ALLOW_HTTP_HOSTS=mock:8124 (or allowHttpHosts of a Provider).`,
  );
});

test.each(["*", "*.cluster.local", "http://mock", "mock/api-host", "mock:port", "10.0.0.0/8", "user@mock"])(
  "%s is refused as a host for plain http",
  (host) => {
    const error = failureOf({ explicit: { apiKey: "key" }, env: { GRAPHDEPLOY_ALLOW_HTTP_HOSTS: `mock,${host}` } });
    expect(error.path).toBe("allowHttpHosts");
    expect(error.message).toContain(`${JSON.stringify(host)} is not a host. Name each host by itself`);
  },
);
