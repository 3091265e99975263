import { expect, test } from "vitest";
import { read, shownProblems } from "./read.ts";

const text = `version: 1
defaults:
  source: github
  source_config: { repo_url: https://github.com/acme/agents, resource_spec: { min_scale: 1, max_scale: 2 } }
  source_revision_config: { langgraph_config_path: langgraph.json, repo_ref: main }
  env: { LOG_LEVEL: info, REGION: eu }
  store: [{ namespace: [a], key: k, value: {} }]
deployments:
  chat:
    source_revision_config: { graph_config_path: chat/graph.json }
    env: { LOG_LEVEL: warn }
  search:
    store: []
environments:
  production:
    defaults: { env: { LOG_LEVEL: error, REGION: us, TIER: gold } }
    deployments:
      chat:
        name: chat-production
        source_config: { resource_spec: { min_scale: null, max_scale: 9 } }
        source_revision_config: { langgraph_config_path: chat/production.json }
        env: { REGION: null }
      search: null
      billing: { source_revision_config: { repo_ref: refs/tags/v1 } }
  empty: {}
`;

test("defaults, the deployment and the environment's two layers are merged in this order, and null removes", () => {
  const { problems, deployments } = read(text, { environment: "production" });
  expect(problems).toEqual([]);
  expect(deployments.map(({ key }) => key)).toEqual(["chat", "billing"]);
  expect(deployments[0]?.desired).toEqual({
    name: "chat-production",
    source: "github",
    sourceConfig: { repoUrl: "https://github.com/acme/agents", resourceSpec: { max_scale: 9 } },
    sourceRevisionConfig: { graphConfigPath: "chat/production.json", repoRef: "main" },
    env: { LOG_LEVEL: "warn", TIER: "gold" },
  });
  expect(deployments[1]?.desired).toMatchObject({
    name: "billing",
    sourceRevisionConfig: { graphConfigPath: "langgraph.json", repoRef: "refs/tags/v1" },
    env: { LOG_LEVEL: "error", REGION: "us", TIER: "gold" },
  });
});

test.each([undefined, "empty"])(
  "without an overlay, or with an empty one (%s), the file's own layers apply",
  (environment) => {
    const { problems, deployments } = read(text, { environment });
    expect(problems).toEqual([]);
    expect(deployments.map(({ desired }) => [desired.name, desired.env])).toEqual([
      ["chat", { LOG_LEVEL: "warn", REGION: "eu" }],
      ["search", { LOG_LEVEL: "info", REGION: "eu" }],
    ]);
  },
);

test("lists are replaced completely", () => {
  const { deployments } = read(text);
  expect(deployments.map(({ store }) => store.length)).toEqual([1, 0]);
});

test("a mistake in a layer is reported once, at its own location", () => {
  const broken = text.replace("REGION: eu", "REGION: 1").replace("refs/tags/v1", "refs/heads/v1");
  expect(shownProblems(read(broken, { environment: "production" }))).toEqual([
    "6:35 defaults.env.REGION: must be a string. Put the value in quotes.",
    '24:54 environments.production.deployments.billing.source_revision_config.repo_ref: is the full ref of a branch; write "v1".',
  ]);
  // Without this environment, there is no billing deployment.
  expect(shownProblems(read(broken))).toEqual(["6:35 defaults.env.REGION: must be a string. Put the value in quotes."]);
});

test("a field missing in one layer may be in another", () => {
  const layered = `version: 1
defaults: { crons: { nightly: { assistant_id: chat } } }
deployments:
  chat: { source: external_docker, crons: { nightly: { schedule: "0 3 * * *" } } }
environments:
  production: { defaults: { source_revision_config: { image_uri: registry/agent:1 } } }
`;
  expect(read(layered, { environment: "production" }).problems).toEqual([]);
  expect(shownProblems(read(layered))).toEqual([
    "4:3 deployments.chat.source_revision_config.image_uri: is required for the source external_docker.",
  ]);
});

test("a dependency on a deployment that the environment removes is refused", () => {
  const depending = text.replace("  chat:\n", "  chat:\n    depends_on: [search]\n");
  expect(read(depending).problems).toEqual([]);
  expect(shownProblems(read(depending, { environment: "production" }))).toEqual([
    "10:18 deployments.chat.depends_on[0]: is not a deployment of this file. Expected one of: chat, billing.",
  ]);
});

test("the deployments of previews must exist in the previews' own environment", () => {
  const previewing = (environment: string) =>
    `${text}previews: { environment: ${environment}, deployments: [billing] }\n`;
  expect(read(previewing("production")).problems).toEqual([]);
  expect(shownProblems(read(previewing("empty"), { environment: "production" }))).toEqual([
    "26:47 previews.deployments[0]: is not a deployment of this file. Expected one of: chat, search.",
  ]);
});

test("a chain of thousands of dependent deployments is valid", () => {
  const chain = Array.from({ length: 2_000 }, (_, n) => {
    return `  d${n}: { source: internal_docker${n === 0 ? "" : `, depends_on: [d${n - 1}]`} }`;
  });
  expect(read(`version: 1\ndeployments:\n${chain.join("\n")}\n`).problems).toEqual([]);
});
