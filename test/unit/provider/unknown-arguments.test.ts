import { expect, test } from "vitest";
import { check } from "../../../provider/check.ts";
import type { DeploymentInputs } from "../../../provider/state.ts";
import { declaration } from "../../kit/deployments.ts";

test("an unknown argument is refused by name", () => {
  const inputs = { ...declaration(), connection: { apiKey: "any-key" }, secret: { KEY: "typo" } } as DeploymentInputs;
  expect(check(undefined, inputs, undefined).failures).toEqual([
    { property: "", reason: "secret is not an input of a deployment. Check its spelling." },
  ]);
});
