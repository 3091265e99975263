import { afterAll, beforeAll, expect, test } from "vitest";
import { keptSequences } from "../../kit/model/kept-sequences.ts";
import { search } from "../../kit/model/search.ts";
import { replay } from "../../kit/model/sequence.ts";
import { startWorld, type World } from "../../kit/model/world.ts";

/** `npm run test:long` runs more. */
const steps = Number(process.env.GRAPHDEPLOY_MODEL_STEPS ?? 150);
const seed = Number(process.env.GRAPHDEPLOY_MODEL_SEED ?? 1);

let world: World;

beforeAll(async () => {
  world = await startWorld();
});

afterAll(() => world[Symbol.asyncDispose]());

test.each(Object.entries(keptSequences))("%s", async (_name, sequence) => {
  await replay(sequence, world);
});

test(
  `${steps} random steps from seed ${seed} break no invariant`,
  async () => {
    const finding = await search(world, { seed, steps });
    expect(finding === undefined ? "nothing" : { ...finding, violation: finding.violation.message }).toBe("nothing");
  },
  Math.max(300_000, steps * 2_000),
);
