import { expect, test } from "vitest";
import { startCliDriver } from "../../kit/model/cli-driver.ts";
import { search } from "../../kit/model/search.ts";
import { startWorld } from "../../kit/model/world.ts";
import { pulumiCli } from "../../kit/pulumi/command-line.ts";

const cli = await pulumiCli();
const suffix = cli.path === undefined ? ` (skipped: ${cli.reason})` : "";
/** `npm run test:long` runs more. */
const steps = Number(process.env.GRAPHDEPLOY_MODEL_CLI_STEPS ?? 4);
const seed = Number(process.env.GRAPHDEPLOY_MODEL_SEED ?? 1);

test.skipIf(cli.path === undefined)(
  `${steps} random steps from seed ${seed} through the real CLI break no invariant${suffix}`,
  async () => {
    const { path = "" } = cli;
    await using world = await startWorld(({ environment }) => startCliDriver({ cli: path, environment }));
    const finding = await search(world, { seed, steps, maxCommands: 10, isShortened: false });
    expect(finding === undefined ? "nothing" : { ...finding, violation: finding.violation.message }).toBe("nothing");
  },
  Math.max(1_800_000, steps * 60_000),
);
