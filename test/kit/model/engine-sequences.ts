import { urnIn } from "./declared.ts";
import type { Driver } from "./driver.ts";
import type { DeclaredDeployment, DeclaredProgram } from "./program.ts";
import type { World } from "./world.ts";

const agent = (changes: Partial<DeclaredDeployment> = {}): DeclaredDeployment => ({
  resource: "one",
  name: "agent-a",
  repository: 0,
  ref: "main",
  ...changes,
});
const program = (...deployments: DeclaredDeployment[]): DeclaredProgram => ({ deployments });
const withUpstream = (seed: number, ...deployments: DeclaredDeployment[]): DeclaredProgram => ({
  upstream: { seed },
  deployments,
});
const one = urnIn("blue", { resource: "one" });

/** Commands on a driver. Some of them fail, and must fail in the same way on both drivers. */
export type Sequence = (driver: Driver, world: World) => Promise<unknown>;

const up = (driver: Driver, declared: DeclaredProgram, choices = {}) => driver.up("blue", declared, choices);

const both = async (driver: Driver, declared: DeclaredProgram, choices = {}) => {
  await driver.preview("blue", declared, choices);
  await driver.up("blue", declared, choices);
};

export const engineSequences: Readonly<Record<string, Sequence>> = {
  "a life: create, leave alone, change, refresh, destroy": async (driver) => {
    const secret = { secrets: { MODEL_KEY: "sk-first-secret-value" } };
    await both(driver, program(agent(secret)));
    await both(driver, program(agent(secret)));
    await both(driver, program(agent({ ...secret, ref: "next", provider: true })));
    await driver.refresh("blue");
    await driver.previewDestroy("blue", {});
    await driver.destroy("blue", {});
  },
  "replacements: of what can't change, of a name, and as the options say": async (driver) => {
    await both(driver, program(agent()));
    await both(driver, program(agent({ repository: 1 })));
    await both(driver, program(agent({ repository: 1, name: "agent-b" })));
    await both(driver, program(agent({ repository: 0, name: "agent-b", deleteBeforeReplace: false })));
    await both(driver, program(agent({ repository: 1, name: "agent-b", retainOnDelete: true })));
  },
  "replacements that the engine decides": async (driver) => {
    await up(driver, program(agent({ deleteBeforeReplace: true })));
    await up(driver, program(agent({ deleteBeforeReplace: true })), { replace: one });
    await driver.taint("blue", one);
    await up(driver, program(agent({ deleteBeforeReplace: true })));
    await up(driver, program(agent({ deleteBeforeReplace: true, replaceOnChanges: ["sourceRevisionConfig.repoRef"] })));
    await up(
      driver,
      program(agent({ deleteBeforeReplace: true, replaceOnChanges: ["sourceRevisionConfig.repoRef"], ref: "next" })),
    );
    await up(driver, program(agent()), { replace: one });
  },
  "ignored changes, also of a part, and protection": async (driver) => {
    await up(driver, program(agent({ env: { MODE: "one" }, protect: true })));
    await up(
      driver,
      program(agent({ env: { MODE: "two" }, ref: "next", ignoreChanges: ["env", "sourceRevisionConfig.repoRef"] })),
    );
    await up(driver, program(agent({ env: { MODE: "two" }, protect: true })));
    await up(driver, program(agent({ repository: 1, protect: true })));
    await up(driver, program());
    await driver.destroy("blue", {});
  },
  "names and places: aliases, and in and out of a component": async (driver) => {
    await up(driver, program(agent()));
    await up(driver, program(agent({ resource: "two", earlier: [{ resource: "one", component: undefined }] })));
    await up(
      driver,
      program(agent({ resource: "two", component: "group", earlier: [{ resource: "two", component: undefined }] })),
    );
    await up(driver, program(agent({ resource: "two", earlier: [{ resource: "two", component: "group" }] })));
    await up(driver, program(agent({ resource: "three" })));
  },
  "an upstream that is deleted before it is replaced": async (driver) => {
    const dependent = agent({ fromUpstream: true });
    await both(driver, withUpstream(0, dependent));
    await both(driver, withUpstream(1, dependent));
    await both(driver, withUpstream(1));
    await driver.destroy("blue", {});
  },
  targets: async (driver) => {
    const two = agent({ resource: "two", name: "agent-b" });
    const targets = { targets: [one] };
    await up(driver, program(agent(), two), targets);
    await up(driver, program(agent(), two));
    await up(driver, program(agent({ ref: "next" }), { ...two, ref: "next" }), targets);
    await up(driver, program(two), targets);
    await driver.destroy("blue", { targets: [urnIn("blue", { resource: "two" })] });
    await up(driver, program(), { targets: [urnIn("blue", { resource: "nobody" })] });
  },
  "a kill, and what the next run makes of it": async (driver, world) => {
    await up(driver, program(agent()));
    world.disturb({ nth: 2, moment: "after", kill: true });
    await driver.up("blue", program(agent({ name: "agent-b" })), {});
    await up(driver, program(agent({ name: "agent-b" })));
    world.disturb({ nth: 6, moment: "before", kill: true });
    await driver.up("blue", program(agent({ name: "agent-c" })), {});
    await driver.refresh("blue");
    await up(driver, program(agent({ name: "agent-c" })));
  },
  "a rollout that fails keeps the id": async (driver, world) => {
    world.mock.transitions.set({ rules: [{ name: "*", fail: "DEPLOY_FAILED", times: 1 }] });
    await up(driver, program(agent()));
    await up(driver, program(agent()));
    await driver.refresh("blue");
  },
  "two stacks, a change of the name of one, and a state that goes out and in": async (driver) => {
    await up(driver, program(agent()));
    await driver.up("green", program(agent({ name: "agent-b" })), {});
    await driver.importState("blue", await driver.exportState("blue"));
    await driver.rename("green", "green-1");
    await driver.up("green", program(agent({ name: "agent-b", ref: "next" })), {});
    await up(driver, program(agent()), { refresh: true });
  },
};
