import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type MockServer, startMockServer } from "../../../mock-server/server.ts";
import { type DisturbingProxy, type Moment, startDisturbingProxy } from "../../kit/disturbing-proxy.ts";
import { type ProviderGround, platform, program, startProvider, summary, writes } from "../../kit/provider/ground.ts";
import type { Step } from "../../kit/pulumi/engine.ts";

// The requests of each operation in a deployment's life cycle, and the failures at each of them.

let mock: MockServer;
let proxy: DisturbingProxy;
let provider: ProviderGround;

const first = program({ displayName: "Agent", env: { MODE: "one" }, secrets: { MODEL_KEY: "sk-first-value" } });
const changed = program({
  displayName: "Agent",
  env: { MODE: "two" },
  secrets: { MODEL_KEY: "sk-second-value" },
  sourceRevisionConfig: { repoRef: "next" },
});
const pushed = program({
  displayName: "Agent",
  env: { MODE: "one" },
  secrets: { MODEL_KEY: "sk-first-value" },
  sourceConfig: { buildOnPush: true },
});
const moved = program({ sourceConfig: { repoUrl: "https://github.com/acme/other" } });

interface Operation {
  prepare(): Promise<unknown>;
  run(): Promise<Step[]>;
  steps: readonly string[];
  /** The platform's deployments at the end. */
  deployments: number;
  revisions: number;
}

const one = "GET /v2/deployments/<id>";
const revision = "GET /v2/deployments/<id>/revisions/<id>";
const nothing = async () => undefined;
const upFirst = () => provider.engine.up(first);

const operations: Record<string, Operation> = {
  create: {
    prepare: nothing,
    run: upFirst,
    steps: ["GET /v2/deployments", "POST /v2/deployments", "PATCH /v2/deployments/<id>", revision, one],
    deployments: 1,
    revisions: 1,
  },
  "update with a new revision": {
    prepare: upFirst,
    run: () => provider.engine.up(changed),
    steps: [one, "PATCH /v2/deployments/<id>", revision, one],
    deployments: 1,
    revisions: 2,
  },
  "update in place": {
    prepare: upFirst,
    run: () => provider.engine.up(pushed),
    steps: [one, "PATCH /v2/deployments/<id>", revision, one, revision],
    deployments: 1,
    revisions: 1,
  },
  replace: {
    prepare: upFirst,
    run: () => provider.engine.up(moved),
    steps: [one, "DELETE /v2/deployments/<id>", one, "GET /v2/deployments", "POST /v2/deployments", revision, one],
    deployments: 1,
    revisions: 1,
  },
  delete: {
    prepare: upFirst,
    run: () => provider.engine.destroy(),
    steps: [one, "DELETE /v2/deployments/<id>", one],
    deployments: 0,
    revisions: 0,
  },
};

interface Failure {
  moment: Moment;
  meanwhile?: () => Promise<unknown>;
  /** Whether the provider dies as well, so that only the next run can recover. */
  isDeadly?: true;
}

const kill = () => provider.process.kill("SIGKILL");

/** Restarts the server with the same state on the same port, after a short outage. */
async function restartServer(): Promise<void> {
  await proxy.outage(async () => {
    const snapshot = await mock.snapshot.get();
    const { port } = new URL(mock.url);
    await mock.close();
    mock = await startMockServer({ port: Number(port), transitions: "immediate" });
    await mock.snapshot.put(snapshot);
  });
}

const failures: Record<string, Failure> = {
  "the connection is reset before it is handled": { moment: "before" },
  "the connection is reset after it was handled": { moment: "after" },
  "its response is truncated": { moment: "during" },
  "the provider is killed before it is handled": { moment: "before", meanwhile: kill, isDeadly: true },
  "the provider is killed after it was handled": { moment: "after", meanwhile: kill, isDeadly: true },
  "the server restarts before it is handled": { moment: "before", meanwhile: restartServer },
  "the server restarts after it was handled": { moment: "after", meanwhile: restartServer },
};

beforeAll(async () => {
  mock = await startMockServer({ port: 0, transitions: "immediate" });
  proxy = await startDisturbingProxy(mock.url);
  provider = await startProvider({ baseUrl: proxy.url });
});

afterAll(async () => {
  await provider[Symbol.asyncDispose]();
  await proxy[Symbol.asyncDispose]();
  await mock.close();
});

beforeEach(async () => {
  await mock.reset();
  provider.engine.resources.clear();
});

function succeeds(steps: readonly Step[]): void {
  expect(steps.filter(({ error }) => error !== undefined)).toEqual([]);
}

test.each(Object.entries(operations))("a clean %s makes the requests in the table", async (_name, operation) => {
  await operation.prepare();
  proxy.reset();
  succeeds(await operation.run());
  expect(proxy.steps.map((step) => step.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<id>"))).toEqual(
    operation.steps,
  );
});

/**
 * `npm run test:long` runs every failure at every request; otherwise a third of the combinations, with each request and
 * each failure among them.
 */
const isComplete = process.env.GRAPHDEPLOY_KILLS === "all";

const cases = Object.entries(operations).flatMap(([name, operation]) =>
  operation.steps.flatMap((step, index) =>
    Object.entries(failures)
      .filter((_, failureIndex) => isComplete || (index + failureIndex) % 3 === 0)
      .map(([failureName, failure]) => ({
        title: `${name}, request ${index + 1} (${step}): ${failureName}`,
        nth: index + 1,
        operation,
        failure,
      })),
  ),
);

test.each(cases)("$title, and everything exists once", async ({ nth, operation, failure }) => {
  await operation.prepare();
  proxy.disturb({
    nth,
    moment: failure.moment,
    ...(failure.meanwhile === undefined ? {} : { meanwhile: failure.meanwhile }),
  });
  const steps = await operation.run();
  expect(proxy.happened).toBe(true);
  let kept = 0;
  if (failure.isDeadly) {
    expect(summary(steps)).toEqual([expect.stringMatching(/^\w+: .*UNAVAILABLE/)]);
    // A killed create's deployment is live immediately here, so the next run keeps it and makes a revision for the new
    // generation.
    const known = [...provider.engine.resources.values()].map(({ id }) => id);
    kept = (await platform(mock)).deployments.filter(({ id }) => !known.includes(id)).length;
    await provider.restart();
    succeeds(await operation.run());
  } else {
    succeeds(steps);
  }

  const { deployments, revisions } = await platform(mock);
  expect([deployments.length, revisions.length]).toEqual([operation.deployments, operation.revisions + kept]);
  const stored = [...provider.engine.resources.values()];
  expect(stored.map(({ id }) => id)).toEqual(deployments.map(({ id }) => id));
  expect(stored.map(({ outputs }) => outputs.latestRevisionId)).toEqual(
    deployments.map(({ latestRevisionId }) => latestRevisionId),
  );

  const before = writes(mock).length;
  succeeds(await operation.run());
  expect(writes(mock)).toHaveLength(before);
});
