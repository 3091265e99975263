import { expect, test, vi } from "vitest";
import { pulumiCli } from "../../kit/pulumi/command-line.ts";
import { killWithDescendants, startScenario, urnOf } from "../../kit/pulumi/scenario.ts";
import { storedDeployments } from "../../kit/stored.ts";

const cli = await pulumiCli();
const suffix = cli.path === undefined ? ` (skipped: ${cli.reason})` : "";
const whenPossible = test.skipIf(cli.path === undefined);
const scenario = (statements: string) => startScenario({ cli: cli.path ?? "", statements });

whenPossible(
  `whatever makes the engine replace, a live deployment is kept, and with deleteBeforeReplace an empty one is created${suffix}`,
  async () => {
    const program = (changes: { level: string; trigger: number }) => `
      const first = agent("by-command");
      agent("tainted", { adopt: true });
      agent("by-change", { env: { LEVEL: "${changes.level}" } }, { replaceOnChanges: ["env"] });
      agent("by-trigger", {}, { replacementTrigger: ${changes.trigger} });
      agent("with-another", {}, { replaceWith: [first] });
      agent("emptied", {}, { deleteBeforeReplace: true });
    `;
    await using it = await scenario(program({ level: "info", trigger: 1 }));
    await it.succeed("up");
    const before = await it.alive();
    expect(Object.keys(before)).toHaveLength(6);
    it.writes();

    await it.succeed("state", "taint", urnOf("tainted"), "--yes");
    await it.declare(program({ level: "debug", trigger: 2 }));
    const said = await it.succeed("up", "--replace", urnOf("by-command"), "--replace", urnOf("emptied"));
    const { emptied, ...kept } = await it.alive();
    expect({ ...kept, emptied: before.emptied }, said).toEqual(before);
    expect(emptied).toBeDefined();
    expect(emptied).not.toBe(before.emptied);
    expect(it.writes().sort()).toEqual([
      "DELETE emptied",
      "PATCH by-change",
      "PATCH by-command",
      "PATCH by-trigger",
      "PATCH tainted",
      "PATCH with-another",
      "POST",
    ]);
    for (const [name, id] of Object.entries(kept)) {
      const label = `Deployment ${name} (${id})`;
      expect(said).toContain(
        `${label} is live and carries the marker of this resource: kept, not replaced. Set the resource option deleteBeforeReplace: true`,
      );
      expect(said).toContain(`${label}, which a newer`);
    }
    const entries = await it.entries();
    expect(Object.fromEntries(entries.map(({ outputs, id }) => [outputs?.name, id]))).toEqual(await it.alive());

    expect(await it.succeed("up")).toContain("7 unchanged");
    await it.succeed("destroy");
    expect(await it.alive()).toEqual({});
  },
);

whenPossible(
  `a replacement that would conflict with the old deployment's name is one error before anything changes${suffix}`,
  async () => {
    const program = (repository: string, options = true) => `
      const sourceConfig = { repoUrl: "https://github.com/acme/${repository}" };
      agent("retained", { sourceConfig }, ${options ? "{ retainOnDelete: true }" : "{}"});
      agent("after", { sourceConfig }, ${options ? "{ deleteBeforeReplace: false }" : "{}"});
    `;
    await using it = await scenario(program("agent"));
    await it.succeed("up");
    it.writes();
    const flags = ["--replace", urnOf("retained"), "--replace", urnOf("after"), "--continue-on-error"];
    const byCommand = await it.fail("up", ...flags);
    expect(byCommand).toContain("with the resource option retainOnDelete: true the old deployment would keep the name");
    expect(byCommand).toContain("with the resource option deleteBeforeReplace: false the old");
    expect(byCommand).toContain("Nothing was changed.");
    await it.declare(program("other"));
    expect(await it.fail("preview")).toContain(
      "has to be replaced (sourceConfig.repoUrl), but with the resource option",
    );
    expect(it.writes()).toEqual([]);

    await it.declare(program("agent", false));
    await it.succeed("up");
    expect(it.writes()).toEqual([]);
  },
);

whenPossible(
  `an upstream that is deleted before its replacement replaces no deployment whose inputs stay equal${suffix}`,
  async () => {
    const program = (version: number) => `
      class Upstream extends pulumi.dynamic.Resource {
        constructor(name, props, opts) {
          super({
            diff: async (id, olds, news) => ({ changes: olds.version !== news.version, replaces: olds.version !== news.version ? ["version"] : [] }),
            create: async ({ version }) => ({ id: "upstream-" + version, outs: { version, command: "make " + version, repository: args.sourceConfig.repoUrl } }),
          }, name, { command: undefined, repository: undefined, ...props }, opts);
        }
      }
      const upstream = new Upstream("upstream", { version: ${version} }, { deleteBeforeReplace: true });
      agent("built", { sourceConfig: { ...args.sourceConfig, buildCommand: upstream.command } });
      agent("from-output", { sourceConfig: upstream.repository.apply((repoUrl) => ({ repoUrl })) });
    `;
    await using it = await scenario(program(1));
    await it.succeed("up");
    const before = await it.alive();
    it.writes();
    await it.declare(program(2));
    const preview = await it.succeed("preview");
    expect(preview).toMatch(/from-output may be replaced, and its threads and store items lost: `\w+` isn't known yet/);
    // The engine also diffs this one, as if its whole `sourceConfig` were unknown.
    expect(preview).not.toContain("built may be replaced");
    await it.succeed("up");
    expect(await it.alive()).toEqual(before);
    expect(it.writes()).toEqual(["PATCH built"]);
  },
);

whenPossible(
  `a command killed in the middle of a replacement loses nothing, and the next one continues${suffix}`,
  async () => {
    await using it = await scenario(`agent("one");`);
    await it.succeed("up");
    const { one } = await it.alive();
    // The state never has the kept deployment's revision.
    it.mock.transitions.set({ mode: "manual" });
    it.writes();
    await killedAfter(it, 1, "up", "--replace", urnOf("one"));
    it.mock.transitions.set({ mode: "immediate" });
    await advanceAll(it);
    expect(await it.succeed("up")).toContain("2 unchanged");
    expect(await it.alive()).toEqual({ one });

    // The state has both entries, and waits for another resource before it deletes the old one.
    it.mock.transitions.set({ rules: [{ name: "slow", mode: "manual" }] });
    await it.declare(`agent("slow", {}, { dependsOn: agent("one") });`);
    it.writes();
    await killedAfter(it, 2, "up", "--replace", urnOf("one"));
    expect((await it.entries()).filter(({ delete: isOld }) => isOld).map(({ id }) => id)).toEqual([one]);
    it.mock.transitions.set({ rules: [] });
    await advanceAll(it);
    const { slow } = await it.alive();
    it.writes();
    const said = await it.succeed("up");
    expect(said).toMatch(/, which a newer .* holds, is released, not deleted\./);
    expect(await it.alive()).toEqual({ one, slow });
    // A revision that went live in the meantime is kept, too.
    expect(it.writes()).toEqual(["PATCH slow"]);
    await it.succeed("destroy");
    expect(await it.alive()).toEqual({});
  },
);

type Started = Awaited<ReturnType<typeof scenario>>;

/** Kills `pulumi <args>` once there are that many writing requests, and removes its lock. */
async function killedAfter({ mock, project, succeed }: Started, writes: number, ...args: string[]): Promise<void> {
  const before = mock.requests({ path: "/v2/*" }).length;
  const run = project.start(...args, "--stack", project.stack, "--yes", "--skip-preview");
  const isThere = () => {
    const news = mock.requests({ path: "/v2/*" }).slice(before);
    const wrote = news.filter(({ method }) => method !== "GET");
    expect(wrote.length, run.output()).toBe(writes);
    // One poll of the rollout after the last writing request.
    expect(news.at(-1)?.method).toBe("GET");
  };
  await vi.waitFor(isThere, { timeout: 120_000, interval: 50 });
  killWithDescendants(run.process.pid ?? 0);
  await run.ended;
  await succeed("cancel", "--yes");
}

async function advanceAll({ mock }: Started): Promise<void> {
  for (const { latestRevisionId } of await storedDeployments(mock)) {
    await mock.revisions.advance(latestRevisionId, "DEPLOYED").catch(() => undefined);
  }
}
