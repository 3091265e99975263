import { AgentServer } from "../../core/client/agent-server.ts";
import { ControlPlane } from "../../core/client/client.ts";
import type { Deployment, Secret } from "../../core/client/wire/deployments.ts";
import { type DeclarativeFile, readDeclarativeFile } from "../../core/declare/file/declarative-file.ts";
import { applyFile } from "../../core/reconcile/file/apply.ts";
import type { FileOptions } from "../../core/reconcile/file/declared.ts";
import type { ApplyFileOptions, Outcome } from "../../core/reconcile/file/outcome.ts";
import { fileOwner } from "../../core/reconcile/file/owner.ts";
import { type FilePlan, planFile } from "../../core/reconcile/file/plan.ts";
import { FakeClock } from "./fake-clock.ts";
import { startForTest } from "./mock-server/api.ts";

const identity = { repository: "Acme/agents", path: "graphdeploy.yaml" };

/** Reads a declarative file, which must be valid. */
export function fileOf(
  text: string,
  options: { environment?: string; pullRequest?: number; env?: Record<string, string> } = {},
): DeclarativeFile {
  const file = readDeclarativeFile(text, {
    path: "graphdeploy.yaml",
    env: {},
    readFile: () => "",
    ...options,
  });
  if (file.problems.length > 0) throw new Error(JSON.stringify(file.problems));
  return file;
}

/** A file whose deployments share a repository. */
export function agents(deployments: string, rest = ""): string {
  return `version: 1
defaults:
  source: github
  source_config: { repo_url: "https://github.com/acme/agents", integration_id: integration-1 }
  source_revision_config: { repo_ref: main, graph_config_path: graph.json }
deployments:
${deployments}
${rest}`;
}

/** A mock server, a client whose waits take no time, and functions that plan and apply a file. */
export async function startWorkspace(options: Partial<FileOptions> & { environment?: string } = {}) {
  const mock = await startForTest();
  const clock = new FakeClock(Date.UTC(2026, 0, 1));
  const settings = { apiKey: "key", baseUrl: mock.url, agentHosts: [], allowHttpHosts: [] };
  const client = new ControlPlane({ ...settings, clock });
  const common: FileOptions = {
    owner: fileOwner(identity),
    connect: (url) => new AgentServer({ url, settings, clock }),
    ...options,
  };
  const plan = (file: DeclarativeFile, more: Partial<FileOptions> = {}): Promise<FilePlan> =>
    planFile(client, file, { ...common, ...more });
  const apply = async (file: DeclarativeFile, more: Partial<ApplyFileOptions> = {}): Promise<Outcome[]> =>
    applyFile(client, file, await plan(file, more), { ...common, ...more });
  const requests = async () => {
    const journal = (await (await fetch(`${mock.url}/_mock/requests`)).json()) as { requests: Sent[] };
    return journal.requests;
  };
  const writes = async () => {
    const sent = (await requests()).filter(({ method, path }) => method !== "GET" && !/\/search$/.test(path));
    return sent.map(({ method, path }) => `${method} ${path}`);
  };
  const clearRequests = () => fetch(`${mock.url}/_mock/requests`, { method: "DELETE" });
  /** Creates a deployment that no file declares. */
  const createForeign = (secrets: readonly Secret[] = [], name = "somebody-elses"): Promise<Deployment> =>
    client.deployments.create({
      name,
      source: "github",
      source_config: { integration_id: "integration-1", repo_url: "https://github.com/acme/agents" },
      source_revision_config: { repo_ref: "main", graph_config_path: "graph.json" },
      secrets: [...secrets],
    });
  return {
    ...{ mock, client, clock, options: common, plan, apply, requests, writes, clearRequests, createForeign },
    [Symbol.asyncDispose]: () => mock[Symbol.asyncDispose](),
  };
}

interface Sent {
  method: string;
  path: string;
}

/** Keys with their results, as `chat: created`. */
export function resultsOf(outcomes: readonly Outcome[]): string[] {
  return outcomes.map(
    ({ key, result, error }) => `${key}: ${result}${error === undefined ? "" : ` (${error.message})`}`,
  );
}

/** Keys with what an apply would do, as `chat: create`. */
export function actionsOf({ deployments }: FilePlan): string[] {
  return deployments.map(({ key, action }) => `${key}: ${action}`);
}
