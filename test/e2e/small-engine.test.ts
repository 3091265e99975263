import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startCliDriver } from "../model/cli-driver.ts";
import { engineSequences } from "../model/engine-sequences.ts";
import { comparable, readCalls } from "../model/grpc-log.ts";
import { startSmallDriver } from "../model/small-driver.ts";
import { startWorld, type World } from "../model/world.ts";
import { pulumiCli } from "../support/pulumi/command-line.ts";
import type { ProviderCall } from "../support/pulumi/engine/provider-calls.ts";

// The small engine is right when it makes the calls that the real one makes: the same, in the same order, with the same values.

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

test.skipIf(cli.path === undefined).each(Object.entries(engineSequences))(
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
