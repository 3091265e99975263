import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startCliDriver } from "../model/cli-driver.ts";
import { urnIn } from "../model/declared.ts";
import type { Driver } from "../model/driver.ts";
import { comparable, readCalls } from "../model/grpc-log.ts";
import type { DeclaredDeployment, DeclaredProgram } from "../model/program.ts";
import { startSmallDriver } from "../model/small-driver.ts";
import { startWorld, type World } from "../model/world.ts";
import { pulumiCli } from "../support/pulumi/command-line.ts";
import type { ProviderCall } from "../support/pulumi/engine/provider-calls.ts";

// The small engine is right when it makes the calls that the real one makes: the same, in the same order, with the same values.

const cli = await pulumiCli();
const suffix = cli.path === undefined ? ` (skipped: ${cli.reason})` : "";

const agent = (changes: Partial<DeclaredDeployment> = {}): DeclaredDeployment => ({
  resource: "one",
  name: "agent-a",
  repository: 0,
  ref: "main",
  ...changes,
});
const program = (...deployments: DeclaredDeployment[]): DeclaredProgram => ({ deployments });
const withUpstream = (seed: number, ...deployments: DeclaredDeployment[]): DeclaredProgram => ({
  upstream: { seed },
  deployments,
});
const one = urnIn("blue", { resource: "one" });

/** What happens in a sequence. Some commands fail, and are to fail alike. */
type Sequence = (driver: Driver, world: World) => Promise<unknown>;

const both = async (driver: Driver, declared: DeclaredProgram, choices = {}) => {
  await driver.preview("blue", declared, choices);
  await driver.up("blue", declared, choices);
};

const sequences: Record<string, Sequence> = {
  "a life: create, leave alone, change, refresh, destroy": async (driver) => {
    const secret = { secrets: { MODEL_KEY: "sk-first-secret-value" } };
    await both(driver, program(agent(secret)));
    await both(driver, program(agent(secret)));
    await both(driver, program(agent({ ...secret, ref: "next", provider: true })));
    await driver.refresh("blue");
    await driver.previewDestroy("blue", {});
    await driver.destroy("blue", {});
  },
  "replacements: of what can't change, of a name, and as the options say": async (driver) => {
    await both(driver, program(agent()));
    await both(driver, program(agent({ repository: 1 })));
    await both(driver, program(agent({ repository: 1, name: "agent-b" })));
    await both(driver, program(agent({ repository: 0, name: "agent-b", deleteBeforeReplace: false })));
    await both(driver, program(agent({ repository: 1, name: "agent-b", retainOnDelete: true })));
  },
  "replacements that the engine decides": async (driver) => {
    await both(driver, program(agent({ deleteBeforeReplace: true })));
    await both(driver, program(agent({ deleteBeforeReplace: true })), { replace: one });
    await driver.taint("blue", one);
    await both(driver, program(agent({ deleteBeforeReplace: true })));
    await both(
      driver,
      program(agent({ deleteBeforeReplace: true, replaceOnChanges: ["sourceRevisionConfig.repoRef"] })),
    );
    await both(
      driver,
      program(agent({ deleteBeforeReplace: true, replaceOnChanges: ["sourceRevisionConfig.repoRef"], ref: "next" })),
    );
    await both(driver, program(agent()), { replace: one });
  },
  "ignored changes, also of a part, and protection": async (driver) => {
    await both(driver, program(agent({ env: { MODE: "one" }, protect: true })));
    await both(
      driver,
      program(agent({ env: { MODE: "two" }, ref: "next", ignoreChanges: ["env", "sourceRevisionConfig.repoRef"] })),
    );
    await both(driver, program(agent({ env: { MODE: "two" }, protect: true })));
    await both(driver, program(agent({ repository: 1, protect: true })));
    await both(driver, program());
    await driver.destroy("blue", {});
  },
  "names and places: aliases, and in and out of a component": async (driver) => {
    await both(driver, program(agent()));
    await both(driver, program(agent({ resource: "two", earlier: [{ resource: "one", component: undefined }] })));
    await both(
      driver,
      program(agent({ resource: "two", component: "group", earlier: [{ resource: "two", component: undefined }] })),
    );
    await both(driver, program(agent({ resource: "two", earlier: [{ resource: "two", component: "group" }] })));
    await both(driver, program(agent({ resource: "three" })));
  },
  "an upstream that is deleted before it is replaced": async (driver) => {
    const dependent = agent({ fromUpstream: true });
    await both(driver, withUpstream(0, dependent));
    await both(driver, withUpstream(1, dependent));
    await both(driver, withUpstream(1));
    await driver.destroy("blue", {});
  },
  targets: async (driver) => {
    const two = agent({ resource: "two", name: "agent-b" });
    const targets = { targets: [one] };
    await both(driver, program(agent(), two), targets);
    await both(driver, program(agent(), two));
    await both(driver, program(agent({ ref: "next" }), { ...two, ref: "next" }), targets);
    await both(driver, program(two), targets);
    await driver.destroy("blue", { targets: [urnIn("blue", { resource: "two" })] });
    await both(driver, program(), { targets: [urnIn("blue", { resource: "nobody" })] });
  },
  "a kill, and what the next run makes of it": async (driver, world) => {
    await both(driver, program(agent()));
    world.disturb({ nth: 2, moment: "after", kill: true });
    await driver.up("blue", program(agent({ name: "agent-b" })), {});
    await both(driver, program(agent({ name: "agent-b" })));
    world.disturb({ nth: 6, moment: "before", kill: true });
    await driver.up("blue", program(agent({ name: "agent-c" })), {});
    await driver.refresh("blue");
    await both(driver, program(agent({ name: "agent-c" })));
  },
  "a rollout that fails keeps the id": async (driver, world) => {
    world.mock.transitions.set({ rules: [{ name: "*", fail: "DEPLOY_FAILED", times: 1 }] });
    await both(driver, program(agent()));
    await both(driver, program(agent()));
    await driver.refresh("blue");
  },
  "two stacks, a change of the name of one, and a state that goes out and in": async (driver) => {
    await both(driver, program(agent()));
    await driver.up("green", program(agent({ name: "agent-b" })), {});
    await driver.importState("blue", await driver.exportState("blue"));
    await driver.rename("green", "green-1");
    await driver.up("green", program(agent({ name: "agent-b", ref: "next" })), {});
    await both(driver, program(agent()), { refresh: true });
  },
};

let small: World;
let real: World;
let folder: string;
let smallCalls: ProviderCall[] = [];
const callLog = () => join(folder, "calls.json");

beforeAll(async () => {
  if (cli.path === undefined) return;
  folder = await mkdtemp(join(tmpdir(), "graphdeploy-calls-"));
  const { path } = cli;
  small = await startWorld((options) => startSmallDriver({ ...options, onCall: (call) => smallCalls.push(call) }));
  real = await startWorld((options) => startCliDriver({ ...options, cli: path, callLog: callLog() }));
});

afterAll(async () => {
  if (cli.path === undefined) return;
  await small[Symbol.asyncDispose]();
  await real[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

test.skipIf(cli.path === undefined).each(Object.entries(sequences))(
  `the small engine makes the calls of the real one: %s${suffix}`,
  async (_name, sequence) => {
    smallCalls = [];
    await small.reset();
    await sequence(small.driver, small);
    await rm(callLog(), { force: true });
    await real.reset();
    await sequence(real.driver, real);
    expect(comparable(smallCalls)).toEqual(comparable(await readCalls(callLog())));
  },
  900_000,
);
