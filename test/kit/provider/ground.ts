import { afterAll } from "vitest";
import type { DeploymentRecord, RevisionRecord } from "../../../mock-server/control-plane/store/records.ts";
import { type MockServer, type MockServerOptions, startMockServer } from "../../../mock-server/server.ts";
import { Deployment, type DeploymentArgs, type DeploymentOptions } from "../../../provider/deployment.ts";
import { type DynamicProcess, startDynamicProcess } from "../pulumi/dynamic-process.ts";
import { createEngine, type Engine, type Step } from "../pulumi/engine.ts";
import { installedPackage } from "../pulumi/installed-package.ts";
import { type LogServer, startLogServer } from "../pulumi/log-server.ts";
import { storedDeployments, storedRevisions } from "../stored.ts";

export const apiKey = "key-of-the-provider-tests";

/** A provider process and the state that outlives it. */
export interface ProviderGround extends AsyncDisposable {
  readonly process: DynamicProcess;
  /** A stack on the current process. The state is shared by all processes. */
  readonly engine: Engine;
  /** Starts a new process with the engine's state. */
  restart(): Promise<void>;
}

export interface ProviderGroundOptions {
  /** The default control plane. */
  readonly baseUrl: string;
  /** Address of an engine's log service for status lines. */
  readonly logs?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** The stack's configuration. */
  readonly config?: Readonly<Record<string, string>>;
}

// Shared by all tests of a file: provider processes, which serve one test after another just as the engine's serves a
// whole run, and the address of the mock server, since a process keeps the settings of its first configuration.
let installed: ReturnType<typeof installedPackage> | undefined;
let logServer: Promise<LogServer & { lines: unknown[] }> | undefined;
let mockPort = 0;
const idle = new Map<string, DynamicProcess[]>();

afterAll(async () => {
  await Promise.all([...idle.values()].flat().map((process) => process.kill("SIGKILL")));
  await (await installed)?.[Symbol.asyncDispose]();
  await (await logServer)?.[Symbol.asyncDispose]();
});

/** The engine's log server of this file, without the lines of earlier tests. */
export async function startLogs(): Promise<LogServer> {
  logServer ??= startLogServer() as NonNullable<typeof logServer>;
  const logs = await logServer;
  logs.lines.length = 0;
  return { ...logs, [Symbol.asyncDispose]: async () => {} };
}

/** Starts a provider process with a small engine. */
export async function startProvider(options: ProviderGroundOptions): Promise<ProviderGround> {
  installed ??= installedPackage();
  const { folder } = await installed;
  const key = JSON.stringify(options);
  let isSpent = false;
  const start = async () => {
    const reused = idle.get(key)?.pop();
    const started =
      reused ??
      (await startDynamicProcess({
        cwd: folder,
        ...(options.logs === undefined ? {} : { engine: options.logs }),
        environment: { GRAPHDEPLOY_BASE_URL: options.baseUrl, GRAPHDEPLOY_API_KEY: apiKey, ...options.environment },
      }));
    await started.configure({ ...options.config });
    isSpent = false;
    return {
      ...started,
      cancel: () => {
        isSpent = true;
        return started.cancel();
      },
      kill: (signal?: NodeJS.Signals) => {
        isSpent = true;
        return started.kill(signal);
      },
    };
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
      if (isSpent) await process[Symbol.asyncDispose]();
      else idle.set(key, [...(idle.get(key) ?? []), process]);
    },
  };
}

/** A mock server and a provider that deploys to it. */
export interface Ground extends AsyncDisposable {
  readonly mock: MockServer;
  readonly provider: ProviderGround;
  /** The current engine of the provider. */
  readonly engine: Engine;
}

export async function startGround(
  options: { mock?: MockServerOptions } & Partial<ProviderGroundOptions> = {},
): Promise<Ground> {
  const { mock: mockOptions, ...providerOptions } = options;
  const mock = await startMockServer({ port: mockPort, transitions: "immediate", ...mockOptions });
  mockPort = Number(new URL(mock.url).port);
  const provider = await startProvider({ baseUrl: mock.url, ...providerOptions });
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

/** Arguments that the mock server accepts, merged with `changes`, one level deep in the configs. */
export function agentArgs(changes: Partial<DeploymentArgs> = {}): DeploymentArgs {
  const { sourceConfig, sourceRevisionConfig, ...rest } = changes;
  return {
    name: "agent",
    sourceConfig: { repoUrl: "https://github.com/acme/agent", ...(sourceConfig as object) },
    sourceRevisionConfig: { repoRef: "main", graphConfigPath: "graph.json", ...(sourceRevisionConfig as object) },
    ...rest,
  };
}

/** A program with one deployment, named `agent` in the state. */
export function program(changes: Partial<DeploymentArgs> = {}, options?: DeploymentOptions): () => Deployment {
  return () => new Deployment("agent", agentArgs(changes), options);
}

/** `<operation>` of each step, with its error where it failed. */
export function summary(steps: readonly Step[]): string[] {
  return steps.map(({ operation, error }) => (error === undefined ? operation : `${operation}: ${error}`));
}

/** The writing requests so far, as `<method> <status>`. */
export function writes(mock: MockServer): string[] {
  return mock
    .requests()
    .filter(({ method }) => method !== "GET")
    .filter(({ path }) => path.startsWith("/v2/"))
    .map(({ method, status }) => `${method} ${status}`);
}

/** The deployments on the platform. */
export async function platform(
  mock: MockServer,
): Promise<{ deployments: DeploymentRecord[]; revisions: RevisionRecord[] }> {
  return { deployments: await storedDeployments(mock), revisions: await storedRevisions(mock) };
}

/** Sends a request outside of the provider, with the tests' key. */
export async function elsewhere(mock: MockServer, method: string, path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(`${mock.url}${path}`, {
    method,
    headers: { "x-api-key": apiKey, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return text === "" ? undefined : JSON.parse(text);
}
