import { execFileSync } from "node:child_process";
import { expect } from "vitest";
import { type MockServer, startMockServer } from "../../../mock-server/server.ts";
import { deploymentType } from "../../../provider/dynamic.ts";
import { storedDeployments } from "../stored.ts";
import { createPulumiProject, type ExportedResource, type PulumiProject, type PulumiResult } from "./cli.ts";
import { githubArgs } from "./program.ts";

export const scenarioKey = "key-of-the-scenario";

/**
 * The prelude of a scenario's programs: `agent(resource, changes, options)` declares a deployment with the resource's
 * name, unless `changes` have another.
 */
const prelude = `const pulumi = require("@pulumi/pulumi");
const { Deployment, Provider } = require("graphdeploy");
const args = ${JSON.stringify(githubArgs())};
const agent = (resource, { sourceConfig, sourceRevisionConfig, ...changes } = {}, options) =>
  new Deployment(resource, {
    name: resource,
    ...changes,
    sourceConfig: sourceConfig ?? args.sourceConfig,
    sourceRevisionConfig: { ...args.sourceRevisionConfig, ...sourceRevisionConfig },
  }, options);
`;

/** A project with the real CLI and a mock server, for a series of programs. */
export interface Scenario extends AsyncDisposable {
  readonly mock: MockServer;
  readonly project: PulumiProject;
  /**
   * Replaces the program by these statements, preceded by a prelude with `pulumi`, `Deployment`, `Provider` and
   * `agent(resource, changes, options)`.
   */
  declare(statements: string): Promise<void>;
  /** Runs `pulumi <args>` on the stack, which must succeed. Returns the output. */
  succeed(...args: string[]): Promise<string>;
  /** Runs `pulumi <args>` on the stack, which must fail. Returns the output. */
  fail(...args: string[]): Promise<string>;
  /** The deployments in the state of a stack. */
  entries(stack?: string): Promise<(ExportedResource & { delete?: boolean })[]>;
  /** The names on the platform with their ids. */
  alive(): Promise<Record<string, string>>;
  /** `<method> <name or path>` of each writing request since the last call. */
  writes(): string[];
}

/** @param options.cli the CLI's executable */
export async function startScenario(options: { cli: string; statements: string }): Promise<Scenario> {
  const mock = await startMockServer({ port: 0, transitions: "immediate" });
  const project = await createPulumiProject({
    cli: options.cli,
    kind: "commonjs",
    program: prelude + options.statements,
    environment: { GRAPHDEPLOY_BASE_URL: mock.url, GRAPHDEPLOY_API_KEY: scenarioKey },
  });
  const names = new Map<string, string>();
  const alive = async () => {
    const all = await storedDeployments(mock);
    for (const { id, name } of all) names.set(id, name);
    return Object.fromEntries(all.map(({ id, name }) => [name, id]));
  };
  let seen = 0;
  const run = async (args: string[]): Promise<PulumiResult & { text: string }> => {
    const [command = "", ...rest] = args;
    const isOperation = ["up", "refresh", "destroy"].includes(command);
    const flags = isOperation && !rest.includes("--preview-only") ? ["--yes", "--skip-preview"] : [];
    const stack = rest.includes("--stack") || rest.includes("--source") ? [] : ["--stack", project.stack];
    const result = await project.run(command, ...rest, ...stack, ...flags);
    await alive();
    return { ...result, text: result.stdout + result.stderr };
  };
  return {
    mock,
    project,
    alive,
    declare: (statements) => project.writeProgram(prelude + statements),
    async succeed(...args) {
      const { code, text } = await run(args);
      expect(code, text).toBe(0);
      return text;
    },
    async fail(...args) {
      const { code, text } = await run(args);
      expect(code, text).not.toBe(0);
      return text;
    },
    async entries(stack = project.stack) {
      const { stdout } = await project.run("stack", "export", "--stack", stack);
      const { deployment } = JSON.parse(stdout) as { deployment: { resources?: ExportedResource[] } };
      return (deployment.resources ?? []).filter(({ type }) => type === deploymentType);
    },
    writes() {
      const requests = mock.requests({ path: "/v2/*" });
      const news = requests.slice(seen);
      seen = requests.length;
      return news
        .filter(({ method }) => method !== "GET")
        .map(({ method, path }) => {
          const id = path.split("?")[0]?.split("/")[3];
          return id === undefined ? method : `${method} ${names.get(id) ?? id}`;
        });
    },
    async [Symbol.asyncDispose]() {
      await project[Symbol.asyncDispose]();
      await mock.close();
    },
  };
}

/** The URN of a deployment without a parent. */
export function urnOf(resource: string, stack = "test"): string {
  return `urn:pulumi:${stack}::program::${deploymentType}::${resource}`;
}

/**
 * Kills a process and its descendants, like a machine that goes down: the CLI's plugins have their own process groups.
 */
export function killWithDescendants(pid: number): void {
  const processes = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" }).trim().split("\n");
  const parents = new Map(processes.map((line) => line.trim().split(/ +/).map(Number) as [number, number]));
  const isDescendant = (child: number): boolean => {
    const parent = parents.get(child);
    return parent !== undefined && (parent === pid || isDescendant(parent));
  };
  for (const child of [pid, ...[...parents.keys()].filter(isDescendant)]) process.kill(child, "SIGKILL");
}
