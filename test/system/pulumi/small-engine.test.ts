import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startCliDriver } from "../../kit/model/cli-driver.ts";
import type { Result } from "../../kit/model/driver.ts";
import { engineSequences, type Sequence } from "../../kit/model/engine-sequences.ts";
import { comparable, readCalls } from "../../kit/model/grpc-log.ts";
import { startSmallDriver } from "../../kit/model/small-driver.ts";
import { startWorld, type World } from "../../kit/model/world.ts";
import { pulumiCli } from "../../kit/pulumi/command-line.ts";
import type { ProviderCall } from "../../kit/pulumi/engine/provider-calls.ts";

// The small engine is correct if it makes the same calls as the real one, in the same order, with the same values.

const cli = await pulumiCli();
const suffix = cli.path === undefined ? ` (skipped: ${cli.reason})` : "";

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

/** The steps of each command, and whether it failed. */
async function outcomesOf(sequence: Sequence, world: World): Promise<string[]> {
  const outcomes: string[] = [];
  const noted = async (command: string, run: Promise<Result>) => {
    const result = await run;
    // Steps of a refresh have other names in the real engine's events, so calls and state are compared instead. The
    // engine registers independent resources in any order, so the order of operations comes from the calls, too.
    const operations = command === "refresh" ? [] : result.steps.map(({ operation }) => operation).toSorted();
    outcomes.push(`${command}: ${[...operations, ...(result.error === undefined ? [] : ["failed"])].join(", ")}`);
    return result;
  };
  const { driver } = world;
  await sequence(
    {
      ...driver,
      preview: (...args) => noted("preview", driver.preview(...args)),
      up: (...args) => noted("up", driver.up(...args)),
      previewDestroy: (...args) => noted("preview of destroy", driver.previewDestroy(...args)),
      destroy: (...args) => noted("destroy", driver.destroy(...args)),
      refresh: (...args) => noted("refresh", driver.refresh(...args)),
    },
    world,
  );
  return outcomes;
}

/** `npm run test:long` runs every sequence; otherwise every fourth one. */
const isComplete = process.env.GRAPHDEPLOY_ENGINE_SEQUENCES === "all";
const sequences = Object.entries(engineSequences).filter((_, index) => isComplete || index % 4 === 0);

test.skipIf(cli.path === undefined).each(sequences)(
  `the small engine makes the calls of the real one: %s${suffix}`,
  async (_name, sequence) => {
    smallCalls = [];
    await small.reset();
    const expected = await outcomesOf(sequence, small);
    await rm(callLog(), { force: true });
    await real.reset();
    expect(await outcomesOf(sequence, real)).toEqual(expected);
    expect(comparable(smallCalls)).toEqual(comparable(await readCalls(callLog())));
  },
  900_000,
);
