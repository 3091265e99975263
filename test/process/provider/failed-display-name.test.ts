import { expect, test } from "vitest";
import { program, startGround, summary } from "../../kit/provider/ground.ts";
import { storedDeployments } from "../../kit/stored.ts";

test("a display name that the platform refused is set by the next up, with and without wait", async () => {
  await using ground = await startGround();
  ground.mock.faults.add({
    match: { method: "PATCH" },
    times: 1,
    effect: { status: 403, body: { detail: "Not now." } },
  });
  const named = program({ wait: false, displayName: "Support" });
  expect(summary(await ground.engine.up(named))[0]).toContain("Not now");
  expect(summary(await ground.engine.up(named))).toEqual(["update"]);
  const [deployment] = await storedDeployments(ground.mock);
  expect(deployment?.displayName).toBe("Support");
});
