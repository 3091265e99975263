import { expect, test } from "vitest";
import { formsOf, leaksIn, plantedSecrets } from "../../kit/planted-secrets.ts";
import { program, startGround, summary } from "../../kit/provider/ground.ts";

// Redaction covered only the values that a run declared. The platform has other secrets: the ones that the run
// replaces, and undeclared ones.

const echo = Object.values(plantedSecrets).flatMap(formsOf).join(" | ");
const refusal = { match: { method: "PATCH" }, effect: { status: 400, body: { detail: echo } } };

test("a secret that a run replaces is kept out of the error", async () => {
  await using ground = await startGround();
  await ground.engine.up(program({ secrets: { ...plantedSecrets } }));
  ground.mock.faults.add(refusal);
  const rotated = Object.fromEntries(Object.keys(plantedSecrets).map((name) => [name, `sk-rotated-${name}`]));
  const said = summary(await ground.engine.up(program({ secrets: rotated }))).join("\n");
  expect(said).toContain("responded with 400");
  expect(leaksIn(said)).toEqual([]);
});

test("a secret that only the platform has is kept out of the error", async () => {
  await using ground = await startGround();
  await ground.engine.up(program({ secrets: { ...plantedSecrets } }));
  ground.engine.resources.clear();
  ground.mock.faults.add(refusal);
  const adopting = program({ adopt: true, sourceRevisionConfig: { repoRef: "next" } });
  const said = summary(await ground.engine.up(adopting)).join("\n");
  expect(said).toContain("responded with 400");
  expect(leaksIn(said)).toEqual([]);
});
