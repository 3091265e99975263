import type { ProgramKind } from "./cli.ts";

const imports = {
  typescript: `import * as pulumi from "@pulumi/pulumi";\nimport { Deployment, Provider } from "graphdeploy";`,
  commonjs: `const pulumi = require("@pulumi/pulumi");\nconst { Deployment, Provider } = require("graphdeploy");`,
  esm: `import * as pulumi from "@pulumi/pulumi";\nimport { Deployment, Provider } from "graphdeploy";`,
} as const;

/**
 * Arguments of a `github` deployment that the mock server accepts, merged with `changes`, one level deep in the
 * configs.
 */
export function githubArgs(changes: Record<string, unknown> = {}): Record<string, unknown> {
  const { sourceConfig, sourceRevisionConfig, ...rest } = changes;
  return {
    name: "agent",
    sourceConfig: { repoUrl: "https://github.com/acme/agent", ...(sourceConfig as object) },
    sourceRevisionConfig: { repoRef: "main", graphConfigPath: "graph.json", ...(sourceRevisionConfig as object) },
    ...rest,
  };
}

/**
 * A program with one deployment `agent`, whose outputs are `id`, `url` and `revision`. `options` is source text, for
 * example `{ protect: true }`.
 */
export function deploymentProgram(kind: ProgramKind, args: Record<string, unknown>, options = "{}"): string {
  const exported = kind === "commonjs" ? (name: string) => `exports.${name}` : (name: string) => `export const ${name}`;
  return `${imports[kind]}
const agent = new Deployment("agent", ${JSON.stringify(args, null, 2)}, ${options});
${exported("id")} = agent.id;
${exported("url")} = agent.url;
${exported("revision")} = agent.latestRevisionId;
`;
}

/** A CommonJS program with `count` deployments, `agent-1` and so on. */
export function manyDeployments(count: number): string {
  return `${imports.commonjs}
for (let number = 1; number <= ${count}; number += 1) {
  new Deployment("agent-" + number, { ...${JSON.stringify(githubArgs())}, name: "agent-" + number });
}
`;
}
