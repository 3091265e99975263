import * as pulumi from "@pulumi/pulumi";
import { expect, test } from "vitest";
import { Deployment, type DeploymentOptions } from "../../../provider/deployment.ts";
import { agentArgs, program, startGround, summary } from "../../kit/provider/ground.ts";

interface Registered {
  name: string;
  inputs: Record<string, unknown>;
}

/** The resources that a program registers with Pulumi's mocks; in a preview their outputs are unknown. */
async function registeredBy(build: () => unknown, { preview = false } = {}): Promise<Registered[]> {
  const registered: Registered[] = [];
  await pulumi.runtime.setMocks(
    {
      call: ({ inputs }) => inputs,
      newResource: ({ name, type, inputs }) => {
        if (type.endsWith(":Deployment")) registered.push({ name, inputs });
        return {
          id: preview ? undefined : name,
          state: preview ? inputs : { ...inputs, url: `https://agents.example/${name}` },
        };
      },
    },
    "program",
    "test",
    preview,
  );
  await build();
  await pulumi.runtime.disconnect();
  return registered;
}

class Pair extends pulumi.ComponentResource {
  readonly second: Deployment;

  constructor(name: string, options?: pulumi.ComponentResourceOptions) {
    super("test:index:Pair", name, {}, options);
    const first = new Deployment(`${name}-first`, agentArgs({ name: "first" }), { parent: this });
    this.second = new Deployment(`${name}-second`, agentArgs({ name: "second", env: { UP: first.url } }), {
      parent: this,
    });
    new pulumi.ComponentResource("test:index:Child", `${name}-child`, { url: first.url }, { parent: this });
    this.registerOutputs();
  }
}

test.each([false, true])(
  "a component may contain two deployments, one depending on the other, and be a dependency itself (preview: %s)",
  async (preview) => {
    const registered = await registeredBy(
      () => {
        const pair = new Pair("pair");
        const nested = new Pair("nested", { parent: pair });
        new Deployment("after", agentArgs({ name: "after", env: { UP: nested.second.url } }), { dependsOn: pair });
      },
      { preview },
    );
    const names = registered.map(({ name }) => name);
    expect(names.toSorted()).toEqual(["after", "nested-first", "nested-second", "pair-first", "pair-second"]);
    expect(names.at(-1)).toBe("after");
    const urn = "urn:pulumi:test::program::test:index:Pair$pulumi-nodejs:dynamic/graphdeploy:Deployment::pair-first";
    expect(registered.find(({ name }) => name === "pair-first")?.inputs).toMatchObject({ resourceUrn: urn });
  },
);

test("only the resource options that are set and affect replacements are passed to the provider", async () => {
  const registered = await registeredBy(() => {
    new Deployment("plain", agentArgs(), { protect: true });
    new Deployment("first", agentArgs(), { deleteBeforeReplace: false });
    new Deployment("both", agentArgs(), { deleteBeforeReplace: true, retainOnDelete: true });
  });
  const options = Object.fromEntries(registered.map(({ name, inputs }) => [name, inputs.resourceOptions]));
  expect(options).toEqual({
    plain: undefined,
    first: { deleteBeforeReplace: false },
    both: { deleteBeforeReplace: true, retainOnDelete: true },
  });
});

test("setting, changing or removing these options later requires no request", async () => {
  await using ground = await startGround();
  const up = async (options?: DeploymentOptions) => summary(await ground.engine.up(program({}, options)));
  expect(await up()).toEqual(["create"]);
  const { length } = ground.mock.requests();
  expect(await up({ deleteBeforeReplace: true })).toEqual(["update"]);
  expect(await up({ deleteBeforeReplace: true })).toEqual(["same"]);
  expect(await up({ deleteBeforeReplace: false, retainOnDelete: true })).toEqual(["update"]);
  expect(ground.engine.resources.get("agent")?.inputs.resourceOptions).toEqual({
    deleteBeforeReplace: false,
    retainOnDelete: true,
  });
  expect(await up()).toEqual(["update"]);
  expect(ground.mock.requests().length).toBe(length);
});
