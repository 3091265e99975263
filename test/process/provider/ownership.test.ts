import { expect, test } from "vitest";
import type { DeploymentArgs } from "../../../provider/deployment.ts";
import { deploymentType, providerText } from "../../../provider/dynamic.ts";
import type { DeploymentState } from "../../../provider/state.ts";
import { startMaskingPlatform } from "../../kit/github/masking-platform.ts";
import {
  agentArgs,
  elsewhere,
  type Ground,
  platform,
  startGround,
  startLogs,
  startProvider,
  writes,
} from "../../kit/provider/ground.ts";
import type { InitFailure, Properties } from "../../kit/pulumi/dynamic-process.ts";
import type { LogServer } from "../../kit/pulumi/log-server.ts";

const urnOf = (name: string, stack = "test") => `urn:pulumi:${stack}::program::${deploymentType}::${name}`;

/** The inputs that the engine sends for a resource with this URN. */
function inputsOf(resourceUrn: string, changes: Partial<DeploymentArgs> & Properties = {}): Properties {
  return { ...agentArgs(changes), resourceUrn, __provider: providerText };
}

interface Entry {
  id: string;
  outputs: DeploymentState;
}

/** A provider process, called method by method as the engine does. */
async function startLife(options: { mock?: Parameters<typeof startGround>[0] } = {}) {
  const logs = await startLogs();
  const ground = await startGround({ ...options.mock, logs: logs.address });
  return lifeOf(ground, logs);
}

function lifeOf(ground: Ground, logs: LogServer) {
  const checked = async (urn: string, news: Properties, olds: Properties = {}) => {
    const { inputs, failures } = await ground.provider.process.check(urn, olds, news);
    expect(failures).toEqual([]);
    return inputs;
  };
  return {
    ground,
    logs,
    checked,
    async create(urn: string, changes: Partial<DeploymentArgs> & Properties = {}): Promise<Entry> {
      const { id, outputs } = await ground.provider.process.create(urn, await checked(urn, inputsOf(urn, changes)));
      return { id, outputs: outputs as unknown as DeploymentState };
    },
    async update(urn: string, { id, outputs }: Entry, changes: Partial<DeploymentArgs> & Properties): Promise<Entry> {
      const olds = outputs as unknown as Properties;
      const news = await checked(urn, inputsOf(urn, changes), olds);
      await ground.provider.process.diff(urn, id, olds, news);
      const updated = await ground.provider.process.update(urn, id, olds, news);
      return { id, outputs: updated as unknown as DeploymentState };
    },
    delete(urn: string, { id, outputs }: Entry) {
      return ground.provider.process.delete(urn, id, outputs as unknown as Properties);
    },
    async alive() {
      return (await platform(ground.mock)).deployments.map(({ id }) => id);
    },
    async marker() {
      const [record] = (await platform(ground.mock)).deployments;
      return record?.secrets.find(({ name }) => name === "GRAPHDEPLOY_MANAGED_BY")?.value;
    },
    async [Symbol.asyncDispose]() {
      await ground[Symbol.asyncDispose]();
      await logs[Symbol.asyncDispose]();
    },
  };
}

const one = urnOf("one");

test.each([
  ["", {}],
  [" that adopts", { adopt: true }],
])(
  "a replacement that the engine decides keeps the living deployment of a resource%s, and the old entry releases it",
  async (_, changes) => {
    await using life = await startLife();
    const first = await life.create(one, changes);
    const second = await life.create(one, changes);
    expect(second.id).toBe(first.id);
    expect(await life.logs.logged("kept, not replaced")).toMatchObject({ severity: "warning" });
    expect((await platform(life.ground.mock)).revisions).toHaveLength(2);
    expect(await life.marker()).toBe(second.outputs.ownershipMarker);
    expect(second.outputs.ownershipMarker).not.toBe(first.outputs.ownershipMarker);

    await life.delete(one, first);
    expect(await life.logs.logged("is released, not deleted")).toMatchObject({ severity: "warning" });
    expect(await life.alive()).toEqual([first.id]);
    expect((await life.update(one, second, changes)).outputs).toEqual(second.outputs);

    await life.delete(one, second);
    expect(await life.alive()).toEqual([]);
  },
);

test("an entry that a killed run left pending deletion releases the deployment in the next run", async () => {
  await using life = await startLife();
  const first = await life.create(one);
  await life.create(one);
  await life.ground.provider.restart();
  await life.delete(one, first);
  expect(await life.alive()).toEqual([first.id]);
});

test("a replacement that was resumed without its own revision isn't deleted through the old entry, not even in a later run", async () => {
  await using life = await startLife({ mock: { mock: { transitions: "manual" } } });
  const first = await life.create(one, { wait: false });
  const second = await life.create(one, { wait: false });
  expect(second.id).toBe(first.id);
  expect((await platform(life.ground.mock)).revisions).toHaveLength(1);
  await life.ground.provider.restart();
  await life.update(one, second, { wait: false });
  await life.delete(one, first);
  expect(await life.alive()).toEqual([first.id]);
});

test("the entry that a killed replacement left behind can change and then delete the deployment", async () => {
  await using life = await startLife();
  const first = await life.create(one);
  // Its result never reached the state.
  await life.create(one);
  await life.ground.provider.restart();
  const next = await life.update(one, first, { sourceRevisionConfig: { repoRef: "next" } });
  expect(await life.marker()).toBe(next.outputs.ownershipMarker);
  await life.delete(one, next);
  expect(await life.alive()).toEqual([]);
});

test.each([
  ["retainOnDelete: true", { retainOnDelete: true }],
  ["deleteBeforeReplace: false", { deleteBeforeReplace: false }],
])(
  "with %s a replacement under the same name is one error, before any writing request",
  async (option, resourceOptions) => {
    await using life = await startLife();
    const first = await life.create(one, { resourceOptions });
    await expect(life.create(one, { resourceOptions })).rejects.toThrow(`with the resource option ${option}`);
    const other = { resourceOptions, sourceConfig: { repoUrl: "https://github.com/acme/other" } };
    await expect(life.update(one, first, other)).rejects.toThrow(`with the resource option ${option}`);
    expect(writes(life.ground.mock)).toEqual(["POST 201"]);
  },
);

test("a deployment of another resource in the stack counts as renamed: refused with the required alias", async () => {
  await using life = await startLife();
  const first = await life.create(one);
  await expect(life.create(urnOf("two"))).rejects.toThrow(
    `name: the deployment of that name (${first.id}) belongs to the resource "one" of this stack. If this resource is that one under another name or parent, add the resource option \`aliases: [{ name: "one" }]\` (or its present URN, by \`pulumi stack --show-urns\`, if it was renamed since). If it was renamed in an earlier run and is to be replaced now, set \`adopt\`. Otherwise choose another name.`,
  );
  const moved = `urn:pulumi:test::program::my:component:Agent$${deploymentType}::one`;
  await expect(life.create(moved)).rejects.toThrow(`aliases: ["${one}"]`);
  expect(writes(life.ground.mock)).toEqual(["POST 201"]);
});

test("a refused create prevents the deletion of its name's deployment in the same run", async () => {
  await using life = await startLife();
  const first = await life.create(one);
  await expect(life.create(urnOf("two"))).rejects.toThrow("aliases");
  await expect(life.delete(one, first)).rejects.toThrow("isn't deleted: a creation under its name was refused");
  expect(await life.alive()).toEqual([first.id]);
  await life.ground.provider.restart();
  await life.delete(one, first);
  expect(await life.alive()).toEqual([]);
});

test("the owner of a name in use is read from the deployment, since a listing may be stale or hide it", async () => {
  await using life = await startLife();
  const first = await life.create(one);
  const theirs = await life.create(urnOf("one", "b"), { adopt: true });
  const marker = (value: string) => [{ name: "GRAPHDEPLOY_MANAGED_BY", value }];
  for (const secrets of [marker(String(first.outputs.ownershipMarker)), []]) {
    const shown = (await elsewhere(life.ground.mock, "GET", `/v2/deployments/${first.id}`)) as object;
    const body = { resources: [{ ...shown, secrets }], offset: 0 };
    life.ground.mock.faults.replace([{ match: { operation: "list_deployments" }, effect: { status: 200, body } }]);
    await expect(life.create(one)).rejects.toThrow(`which is owned by pulumi#${urnOf("one", "b")}.`);
  }
  expect(await life.marker()).toBe(theirs.outputs.ownershipMarker);
});

test("an adopted deployment isn't deleted by the resource that owned it before", async () => {
  await using life = await startLife();
  const first = await life.create(one);
  const second = await life.create(urnOf("two"), { adopt: true });
  await life.delete(one, first);
  expect(await life.alive()).toEqual([second.id]);
});

test("of two stacks, the one that adopted the deployment changes and deletes it, and the other is refused and releases it", async () => {
  await using life = await startLife();
  const theirs = await life.create(one);
  const b = urnOf("one", "b");
  await expect(life.create(b)).rejects.toThrow(`which is owned by pulumi#${one}. Choose another name, or set`);
  const ours = await life.create(b, { adopt: true });
  const change = { sourceRevisionConfig: { repoRef: "next" } };
  await life.ground.provider.restart();
  await expect(life.update(one, theirs, change)).rejects.toThrow(`is owned by pulumi#${b} now`);
  await life.delete(one, theirs);
  expect(await life.logs.logged(`which is owned by pulumi#${b}`)).toMatchObject({ severity: "warning" });
  expect(await life.alive()).toEqual([ours.id]);

  const olds = theirs.outputs as unknown as Properties;
  await life.ground.provider.process.read(one, theirs.id, olds, {});
  expect(await life.logs.logged("can't be changed or deleted from here any longer")).toMatchObject({
    severity: "warning",
  });

  const back = await life.update(one, theirs, { adopt: true, ...change });
  expect(await life.logs.logged(`which is owned by pulumi#${b}, is taken over.`)).toMatchObject({
    severity: "warning",
  });
  expect(await life.marker()).toBe(back.outputs.ownershipMarker);
  await life.ground.provider.restart();
  await life.delete(b, ours);
  expect(await life.alive()).toEqual([ours.id]);
});

test("a renamed resource that is replaced later keeps its deployment with `adopt`, which the error suggests", async () => {
  await using life = await startLife();
  const two = urnOf("two");
  const renamed = await life.update(two, await life.create(one), {});
  await expect(life.create(two)).rejects.toThrow("is to be replaced now, set `adopt`.");
  const replaced = await life.create(two, { adopt: true });
  await life.delete(two, renamed);
  expect(await life.alive()).toEqual([replaced.id]);
});

test("only `adopt` takes a deployment back, and changes nothing if the resource owns it already", async () => {
  await using life = await startLife();
  const theirs = await life.create(one);
  const own = await life.update(one, theirs, { adopt: true });
  expect(writes(life.ground.mock)).toEqual(["POST 201"]);
  expect(own.outputs.ownershipMarker).toBe(theirs.outputs.ownershipMarker);
  await life.create(urnOf("one", "b"), { adopt: true });
  const back = await life.update(one, theirs, { adopt: true });
  expect(back.outputs.ownershipMarker).toBe(theirs.outputs.ownershipMarker);
  expect(await life.marker()).toBe(theirs.outputs.ownershipMarker);
});

test("an alias, a renamed stack and a moved state need no request, and the marker follows with the next revision", async () => {
  await using life = await startLife();
  const first = await life.create(one);
  const two = urnOf("two", "renamed");
  const renamed = await life.update(two, first, {});
  expect(writes(life.ground.mock)).toEqual(["POST 201"]);
  expect(renamed.outputs.ownershipMarker).toBe(first.outputs.ownershipMarker);
  const changed = await life.update(two, renamed, { sourceRevisionConfig: { repoRef: "next" } });
  expect(changed.outputs.ownershipMarker).toBe(`pulumi#${two}#g-${first.outputs.generation}`);
  expect(await life.marker()).toBe(changed.outputs.ownershipMarker);
  await life.delete(two, changed);
  expect(await life.alive()).toEqual([]);
});

test("a state whose marker has no generation changes and deletes its deployments", async () => {
  await using life = await startLife();
  const { id, outputs } = await life.create(one);
  const marker = { name: "GRAPHDEPLOY_MANAGED_BY", value: `pulumi#${one}` };
  await elsewhere(life.ground.mock, "PATCH", `/v2/deployments/${id}`, { secrets: [marker] });
  const { ownershipMarker: _marker, generation: _generation, ...before } = outputs;
  const old: Entry = { id, outputs: before };
  await life.ground.provider.restart();

  const renamed = await life.update(urnOf("two"), old, {});
  expect(renamed.outputs.ownershipMarker).toBe(`pulumi#${one}`);
  const changed = await life.update(one, old, { sourceRevisionConfig: { repoRef: "next" } });
  expect(await life.marker()).toBe(`pulumi#${one}`);

  const kept = await life.create(one, { sourceRevisionConfig: { repoRef: "next" } });
  await life.ground.provider.restart();
  await life.delete(one, changed);
  expect(await life.alive()).toEqual([id]);
  await life.delete(one, kept);
  expect(await life.alive()).toEqual([]);
});

/** A creation in the state of an earlier build, and a new process. */
async function createdEarlier(life: Awaited<ReturnType<typeof startLife>>): Promise<Entry> {
  const { id, outputs } = await life.create(one);
  const marker = { name: "GRAPHDEPLOY_MANAGED_BY", value: `pulumi#${one}` };
  await elsewhere(life.ground.mock, "PATCH", `/v2/deployments/${id}`, { secrets: [marker] });
  const { ownershipMarker: _marker, generation: _generation, ...before } = outputs;
  await life.ground.provider.restart();
  return { id, outputs: before };
}

test("a replacement whose change had an unknown outcome belongs to its new entry", async () => {
  await using life = await startLife();
  const first = await life.create(one);
  life.ground.mock.faults.replace([
    { match: { method: "PATCH" }, times: 1, effect: { reset: "after" } },
    { match: { operation: "get_deployment" }, nth: 3, times: 9, effect: { status: 403, body: { detail: "Not now" } } },
  ]);
  const failure = await life.create(one).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(failure).toMatchObject({ id: first.id, reasons: [expect.stringContaining("Not now")] });
  life.ground.mock.faults.clear();
  await life.ground.provider.restart();
  const { id, properties } = failure as InitFailure;
  const second = await life.update(one, { id, outputs: properties as unknown as DeploymentState }, {});
  expect(await life.marker()).toBe(second.outputs.ownershipMarker);
  await life.delete(one, first);
  expect(await life.alive()).toEqual([id]);
  await life.delete(one, second);
  expect(await life.alive()).toEqual([]);
});

test("a resource of an earlier build that was only renamed deletes its deployment", async () => {
  await using life = await startLife();
  const renamed = await life.update(urnOf("two"), await createdEarlier(life), {});
  await life.ground.provider.restart();
  await life.delete(urnOf("two"), renamed);
  expect(await life.alive()).toEqual([]);
});

test("an entry that an earlier build left pending deletion releases the deployment of the current entry", async () => {
  await using life = await startLife();
  const old = await createdEarlier(life);
  const olds = old.outputs as unknown as Properties;
  await life.ground.provider.process.diff(one, old.id, olds, await life.checked(one, inputsOf(one), olds));
  await life.delete(one, old);
  expect(await life.logs.logged("which a newer entry of this state holds, is released, not deleted.")).toMatchObject({
    severity: "warning",
  });
  expect(await life.alive()).toEqual([old.id]);
});

test("a replacement that deletes first succeeds with a state of an earlier build", async () => {
  await using life = await startLife();
  for (const changes of [
    { sourceConfig: { repoUrl: "https://github.com/acme/other" } },
    { resourceOptions: { deleteBeforeReplace: true } },
  ]) {
    const old = await createdEarlier(life);
    const olds = old.outputs as unknown as Properties;
    await life.ground.provider.process.diff(one, old.id, olds, await life.checked(one, inputsOf(one, changes), olds));
    await life.delete(one, old);
    expect(await life.alive()).toEqual([]);
  }
});

test("a retained deployment whose resource is added again is refused, with advice on how to adopt it", async () => {
  await using life = await startLife();
  const resourceOptions = { retainOnDelete: true };
  const first = await life.create(one, { resourceOptions });
  await expect(life.create(one, { resourceOptions })).rejects.toThrow("Set `adopt` to keep using it");
  const again = await life.create(one, { resourceOptions, adopt: true });
  expect(again.id).toBe(first.id);
});

test("a refresh reports that a newer generation of the same owner prevents a deletion here", async () => {
  await using life = await startLife();
  const first = await life.create(one);
  await life.create(one);
  await life.ground.provider.process.read(one, first.id, first.outputs as unknown as Properties, {});
  expect(await life.logs.logged("won't be deleted from here until a change takes it back")).toMatchObject({
    severity: "warning",
  });
});

test("a refused deletion shows no value of the environment", async () => {
  await using life = await startLife();
  const first = await life.create(one, { secrets: { MODEL_KEY: "sk-planted-value" } });
  life.ground.mock.faults.add({
    match: { method: "DELETE" },
    effect: { status: 400, body: { detail: "Can't delete: MODEL_KEY=sk-planted-value is in use." } },
  });
  await life.ground.provider.restart();
  await expect(life.delete(one, first)).rejects.toThrow("MODEL_KEY=[redacted] is in use");
});

test("on a platform that hides values, the state's owner can change and delete, and nobody takes over by accident", async () => {
  await using life = await startLife();
  await using masking = await startMaskingPlatform(life.ground.mock.url);
  await using provider = await startProvider({ baseUrl: masking.url, logs: life.logs.address });
  const masked = lifeOf({ ...life.ground, mock: life.ground.mock, provider, engine: provider.engine }, life.logs);
  const first = await masked.create(one, { secrets: { MODEL_KEY: "sk-first-value" } });
  expect(first.outputs.ownershipMarker).toContain(`pulumi#${one}#g-`);
  await expect(masked.create(one)).rejects.toThrow("whose ownership marker the platform hides");

  const next = await masked.update(one, first, { secrets: { MODEL_KEY: "sk-second-value" } });
  expect(next.outputs.ownershipMarker).toBe(first.outputs.ownershipMarker);
  await elsewhere(life.ground.mock, "PATCH", `/v2/deployments/${first.id}`, {
    secrets: [
      { name: "MODEL_KEY", value: "sk-second-value" },
      { name: "BY_HAND", value: "set by hand" },
    ],
  });
  await expect(masked.update(one, next, { secrets: { MODEL_KEY: "sk-third-value" } })).rejects.toThrow(
    "entries that aren't declared here: BY_HAND.",
  );
  const adopted = await masked.create(urnOf("two"), { adopt: true, secrets: { MODEL_KEY: "sk-second-value" } }).then(
    () => "adopted",
    (error: Error) => error.message,
  );
  expect(adopted).toContain("entries that aren't declared here: BY_HAND.");
  const bare = await masked.create(urnOf("two"), { adopt: true });
  expect(bare.outputs.ownershipMarker).toBeUndefined();
  expect(await life.logs.logged("ownership can't be shown")).toMatchObject({ severity: "warning" });
  await masked.delete(urnOf("two"), bare);
  expect(await life.alive()).toEqual([]);
});
