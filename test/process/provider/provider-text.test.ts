import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { deploymentType, providerText } from "../../../provider/dynamic.ts";
import { apiKey, program, startGround } from "../../kit/provider/ground.ts";

test("the provider text and the type are byte for byte those in states of earlier releases", async () => {
  const golden = await readFile(join(import.meta.dirname, "..", "..", "fixtures", "provider-text.txt"), "utf8");
  expect(providerText).toBe(golden);
  expect(deploymentType).toBe("pulumi-nodejs:dynamic/graphdeploy:Deployment");
});

test("the provider text in the state is the frozen one and holds no secret", async () => {
  await using ground = await startGround();
  await ground.engine.up(program({ secrets: { MODEL_KEY: "sk-in-the-provider-text" } }));
  const stored = ground.engine.resources.get("agent");
  expect(stored?.inputs.__provider).toBe(providerText);
  expect(stored?.outputs.__provider).toBe(providerText);
  expect(JSON.stringify(stored?.outputs)).not.toMatch(new RegExp(`sk-in-the-provider-text|${apiKey}`));
});
