import { type MockServer, startMockServer } from "../../../mock-server/server.ts";
import { type DisturbingProxy, startDisturbingProxy } from "../disturbing-proxy.ts";
import { installedPackage } from "../pulumi/installed-package.ts";
import type { Trouble } from "./commands.ts";
import type { Driver } from "./driver.ts";
import { type Platform, platformOf } from "./platform.ts";
import { otherKeyVariable } from "./program.ts";
import { startSmallDriver } from "./small-driver.ts";

export const apiKey = "key-of-the-model-itself";

/** An engine and the platform that it works on. */
export interface World extends AsyncDisposable {
  readonly driver: Driver;
  readonly mock: MockServer;
  /** The platform's address for the provider. */
  readonly url: string;
  platform(): Promise<Platform>;
  /** Empties the platform and the engine's stacks. */
  reset(): Promise<void>;
  /** The requests since the last `disturb` or `clear`. */
  requests(): readonly string[];
  /** Discards recorded requests and planned failures. */
  clear(): void;
  /** Plans a failure of one of the next requests. */
  disturb(trouble: Trouble): void;
  /** Whether the planned failure has happened. */
  happened(): boolean;
  /** Sends a request outside of the engine. */
  elsewhere(method: string, path: string, body?: unknown): Promise<Response>;
}

export type StartDriver = (options: {
  folder: string;
  environment: Readonly<Record<string, string>>;
}) => Promise<Driver>;

export async function startWorld(startDriver: StartDriver = startSmallDriver): Promise<World> {
  const mock = await startMockServer({ port: 0, transitions: "immediate", seed: 1 });
  const proxy: DisturbingProxy = await startDisturbingProxy(mock.url);
  const installed = await installedPackage();
  const driver = await startDriver({
    folder: installed.folder,
    environment: { GRAPHDEPLOY_BASE_URL: proxy.url, GRAPHDEPLOY_API_KEY: apiKey, [otherKeyVariable]: apiKey },
  });
  return {
    driver,
    mock,
    url: proxy.url,
    platform: () => platformOf(mock),
    async reset() {
      proxy.reset();
      await mock.reset();
      await driver.reset();
    },
    requests: () => proxy.steps,
    clear() {
      proxy.reset();
      mock.transitions.set({ rules: [] });
    },
    disturb(trouble) {
      if ("rollout" in trouble) mock.transitions.set({ rules: [{ name: "*", fail: trouble.rollout, times: 1 }] });
      else {
        const { nth, moment, kill } = trouble;
        proxy.disturb({ nth, moment, ...(kill ? { meanwhile: () => driver.kill() } : {}) });
      }
    },
    happened: () => proxy.happened,
    elsewhere: (method, path, body) =>
      fetch(`${mock.url}${path}`, {
        method,
        headers: { "x-api-key": apiKey, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    async [Symbol.asyncDispose]() {
      await driver[Symbol.asyncDispose]();
      await proxy[Symbol.asyncDispose]();
      await mock.close();
      await installed[Symbol.asyncDispose]();
    },
  };
}
