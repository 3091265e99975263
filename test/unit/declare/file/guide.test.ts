import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkout } from "../../../../scripts/run-command.ts";
import { codeBlocks } from "../../../kit/docs/markdown.ts";
import { read } from "./read.ts";

const path = "docs/guides/declarative-file.md";
const [example] = codeBlocks({ path, text: readFileSync(join(checkout, path), "utf8") });

function readStaging(code: string, env: Record<string, string>) {
  return read(code, { environment: "staging", env, readFile: () => "a signing key" });
}

test("the file in declarative-file.md is valid, and declares what the page says", () => {
  const { problems, deployments, previews } = readStaging(example?.code ?? "", { MODEL_API_KEY: "key-of-a-model" });
  expect(problems).toEqual([]);
  expect(deployments.map(({ key, desired }) => [key, desired.name])).toEqual([
    ["search", "search-staging"],
    ["support", "support-staging"],
  ]);
  const [search, support] = deployments;
  expect(search?.desired).toEqual({
    name: "search-staging",
    source: "github",
    sourceConfig: { repoUrl: "https://github.com/acme/agents", buildOnPush: false },
    sourceRevisionConfig: { repoRef: "main", graphConfigPath: "search/graph.json" },
    env: { LOG_LEVEL: "debug" },
  });
  expect(support?.desired.secrets).toEqual({ MODEL_API_KEY: "key-of-a-model", SIGNING_KEY: "a signing key" });
  expect(support).toMatchObject({
    integration: "auto",
    dependsOn: ["search"],
    assistants: { friendly: { graph_id: "support" } },
    crons: {},
    store: [{ key: "limits" }],
  });
  expect(previews).toEqual({ environment: "staging", deployments: ["support"] });
});

test("the messages in declarative-file.md are those of its mistakes", () => {
  const { problems } = readStaging(example?.code.replace("integration:", "integraton:") ?? "", {});
  const shown = problems.map(
    ({ line, column, path, message }) => `graphdeploy.yaml:${line}:${column}: ${path}: ${message}`,
  );
  const page = readFileSync(join(checkout, path), "utf8");
  expect(shown).toHaveLength(2);
  for (const line of shown) expect(page).toContain(line);
});
