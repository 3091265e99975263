import type { DeploymentRecord, RevisionRecord } from "../../mock-server/control-plane/store/records.ts";
import { type MockServer, type MockServerOptions, startMockServer } from "../../mock-server/server.ts";
import { Deployment, type DeploymentArgs, type DeploymentOptions } from "../../provider/deployment.ts";
import { type DynamicProcess, startDynamicProcess } from "../support/pulumi/dynamic-process.ts";
import { createEngine, type Engine, type Step } from "../support/pulumi/engine.ts";
import { installedPackage } from "../support/pulumi/installed-package.ts";
import { storedDeployments, storedRevisions } from "../support/stored.ts";

export const apiKey = "key-of-the-provider-tests";

/** A provider process and the state that outlives it. */
export interface ProviderGround extends AsyncDisposable {
  readonly process: DynamicProcess;
  /** Works with the process of now; its state is that of all. */
  readonly engine: Engine;
  /** A new process with the state that the engine has. */
  restart(): Promise<void>;
}

export interface ProviderGroundOptions {
  /** Where deployments go by default. */
  readonly baseUrl: string;
  /** Address of an engine for status lines. */
  readonly logs?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** The stack's configuration. */
  readonly config?: Readonly<Record<string, string>>;
}

/** Starts a provider process with a small engine. */
export async function startProvider(options: ProviderGroundOptions): Promise<ProviderGround> {
  const installed = await installedPackage();
  const start = async () => {
    const started = await startDynamicProcess({
      cwd: installed.folder,
      ...(options.logs === undefined ? {} : { engine: options.logs }),
      environment: { GRAPHDEPLOY_BASE_URL: options.baseUrl, GRAPHDEPLOY_API_KEY: apiKey, ...options.environment },
    });
    await started.configure({ ...options.config });
    return started;
  };
  let process = await start();
  const engine = createEngine(() => process);
  return {
    get process() {
      return process;
    },
    engine,
    async restart() {
      await process.kill("SIGKILL");
      process = await start();
    },
    async [Symbol.asyncDispose]() {
      await process[Symbol.asyncDispose]();
      await installed[Symbol.asyncDispose]();
    },
  };
}

/** A mock server and a provider that deploys to it. */
export interface Ground extends AsyncDisposable {
  readonly mock: MockServer;
  readonly provider: ProviderGround;
  /** The provider's engine of now. */
  readonly engine: Engine;
}

export async function startGround(
  options: { mock?: MockServerOptions } & Partial<ProviderGroundOptions> = {},
): Promise<Ground> {
  const mock = await startMockServer({ port: 0, transitions: "immediate", ...options.mock });
  const provider = await startProvider({ baseUrl: mock.url, ...options });
  return {
    mock,
    provider,
    get engine() {
      return provider.engine;
    },
    async [Symbol.asyncDispose]() {
      await provider[Symbol.asyncDispose]();
      await mock.close();
    },
  };
}

/** Arguments that the mock server takes; `changes` are merged over them, one level deep in the configs. */
export function agentArgs(changes: Partial<DeploymentArgs> = {}): DeploymentArgs {
  const { sourceConfig, sourceRevisionConfig, ...rest } = changes;
  return {
    name: "agent",
    sourceConfig: { repoUrl: "https://github.com/acme/agent", ...(sourceConfig as object) },
    sourceRevisionConfig: { repoRef: "main", graphConfigPath: "graph.json", ...(sourceRevisionConfig as object) },
    ...rest,
  };
}

/** A program with one deployment, which the state knows as `agent`. */
export function program(changes: Partial<DeploymentArgs> = {}, options?: DeploymentOptions): () => Deployment {
  return () => new Deployment("agent", agentArgs(changes), options);
}

/** `<operation>` of each step, with its error where it failed. */
export function summary(steps: readonly Step[]): string[] {
  return steps.map(({ operation, error }) => (error === undefined ? operation : `${operation}: ${error}`));
}

/** The writing requests so far: `<method> <status>`. */
export function writes(mock: MockServer): string[] {
  return mock
    .requests()
    .filter(({ method }) => method !== "GET")
    .filter(({ path }) => path.startsWith("/v2/"))
    .map(({ method, status }) => `${method} ${status}`);
}

/** What the platform really has. */
export async function platform(
  mock: MockServer,
): Promise<{ deployments: DeploymentRecord[]; revisions: RevisionRecord[] }> {
  return { deployments: await storedDeployments(mock), revisions: await storedRevisions(mock) };
}

/** A request of somebody else, with the key of the tests. */
export async function elsewhere(mock: MockServer, method: string, path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(`${mock.url}${path}`, {
    method,
    headers: { "x-api-key": apiKey, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return text === "" ? undefined : JSON.parse(text);
}
