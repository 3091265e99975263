import * as pulumi from "@pulumi/pulumi";
import type { DeploymentArgs } from "graphdeploy";
import { beforeAll, expect, test } from "vitest";
import { Agents } from "./agents.ts";

const registered = new Map<string, DeploymentArgs>();

beforeAll(() =>
  pulumi.runtime.setMocks({
    newResource: ({ name, type, inputs }) => {
      if (!type.endsWith(":Deployment")) return { id: name, state: inputs };
      registered.set(name, inputs);
      return { id: `id-of-${name}`, state: { ...inputs, url: `https://agents.example/${name}` } };
    },
    call: ({ inputs }) => inputs,
  }),
);

test("the planner gets the worker's URL, and both come from the same ref", async () => {
  const { planner } = new Agents("support", "refs/tags/v1.2.0");
  const url = await new Promise((resolve) => planner.url.apply(resolve));

  expect(url).toBe("https://agents.example/support-planner");
  expect(registered.get("support-planner")?.env).toEqual({ WORKER_URL: "https://agents.example/support-worker" });
  for (const args of registered.values())
    expect(args.sourceRevisionConfig).toMatchObject({ repoRef: "refs/tags/v1.2.0" });
});
