import { expect, test } from "vitest";
import { pulumiCli } from "../../kit/pulumi/command-line.ts";
import { startScenario, urnOf } from "../../kit/pulumi/scenario.ts";

const cli = await pulumiCli();
const suffix = cli.path === undefined ? ` (skipped: ${cli.reason})` : "";
const whenPossible = test.skipIf(cli.path === undefined);
const scenario = (statements: string) => startScenario({ cli: cli.path ?? "", statements });

whenPossible(
  `a rename and a move into and out of a component name the required alias, and make no request with it${suffix}`,
  async () => {
    const component = `
      class Team extends pulumi.ComponentResource {
        constructor() { super("acme:index:Team", "team", {}); }
      }
      const team = new Team();
    `;
    await using it = await scenario(`agent("one", { name: "support" });`);
    await it.succeed("up");
    const alive = await it.alive();
    it.writes();

    const declare = (resource: string, options = "{}") =>
      it.declare(`${component} agent("${resource}", { name: "support" }, ${options});`);
    await declare("two");
    expect(await it.fail("up")).toContain(
      'belongs to the resource "one" of this stack. If this resource is that one under another name or parent, add the resource option `aliases: [{ name: "one" }]`',
    );
    await declare("one", "{ parent: team }");
    const [, alias] = /add the resource option `aliases: (\[.*?\])`/.exec(await it.fail("up")) ?? [];
    await declare("one", `{ parent: team, aliases: ${alias} }`);
    await it.succeed("up");
    await declare("two", '{ aliases: [{ name: "one", parent: team }] }');
    await it.succeed("up");
    await declare("two", "{ parent: team, aliases: [{ parent: pulumi.rootStackResource }] }");
    await it.succeed("up");
    const [entry] = await it.entries();
    expect(entry).toMatchObject({ urn: expect.stringContaining("acme:index:Team$"), id: alive.support });

    await it.succeed("state", "rename", entry?.urn ?? "", "three", "--yes");
    const program = `${component} agent("three", { name: "support", env: { LEVEL: "info" } }, { parent: team });`;
    await it.declare(program.replace(', env: { LEVEL: "info" }', ""));
    await it.succeed("up");
    expect(it.writes()).toEqual([]);
    expect(await it.alive()).toEqual(alive);

    // The marker is updated by the next change that makes a revision anyway.
    await it.declare(program);
    await it.succeed("up");
    expect(it.writes()).toEqual(["PATCH support"]);
    const [after] = await it.entries();
    expect(after?.outputs?.ownershipMarker).toMatch(/Team\$.*::three#g-/);

    // Without an alias, the run must not delete the adopted deployment as the old resource.
    await it.declare(`agent("four", { name: "support", env: { LEVEL: "info" }, adopt: true });`);
    expect(await it.succeed("up")).toContain("is released, not deleted");
    expect(it.writes()).toEqual(["PATCH support"]);
    expect(await it.alive()).toEqual(alive);
    await it.succeed("destroy");
    expect(await it.alive()).toEqual({});
  },
);

whenPossible(
  `a stack is renamed, exported and imported into another, and split by state move, without a writing request${suffix}`,
  async () => {
    await using it = await scenario(`agent("one"); agent("two"); exports.level = "info";`);
    await it.succeed("up");
    const alive = await it.alive();
    it.writes();

    await it.succeed("stack", "rename", "renamed");
    // The diff is empty because the URN among the inputs is hidden.
    expect(await it.succeed("preview", "--diff", "--stack", "renamed")).not.toMatch(/[~+-] *resourceUrn/);
    await it.succeed("up", "--stack", "renamed");

    const exported = await it.succeed("stack", "export", "--stack", "renamed");
    await it.project.run("stack", "init", "copy");
    const state = JSON.parse(exported.replaceAll("urn:pulumi:renamed::", "urn:pulumi:copy::"));
    expect((await it.project.importStack(state, "copy")).code).toBe(0);
    await it.succeed("stack", "rm", "--stack", "renamed", "--force", "--yes");
    await it.succeed("up", "--stack", "copy");

    await it.project.run("stack", "init", "split");
    await it.succeed("state", "move", "--source", "copy", "--dest", "split", urnOf("two", "copy"), "--yes");
    await it.declare(
      `agent("two"); exports.level = new pulumi.StackReference("organization/program/copy").getOutput("level");`,
    );
    await it.succeed("up", "--stack", "split");
    expect(JSON.parse((await it.project.run("stack", "output", "--json", "--stack", "split")).stdout)).toEqual({
      level: "info",
    });
    expect(it.writes()).toEqual([]);
    expect(await it.alive()).toEqual(alive);

    await it.succeed("destroy", "--stack", "split");
    expect(await it.alive()).toEqual({ one: alive.one });
    await it.succeed("destroy", "--stack", "copy");
    expect(await it.alive()).toEqual({});
  },
);

whenPossible(
  `of two stacks the one that adopted a deployment changes and deletes it, and the other releases it${suffix}`,
  async () => {
    const program = (changes: string) => `agent("one", ${changes});`;
    await using it = await scenario(program("{}"));
    await it.succeed("up");
    const alive = await it.alive();
    await it.project.run("stack", "init", "theirs");
    expect(await it.fail("up", "--stack", "theirs")).toContain(
      `which is owned by pulumi#${urnOf("one")}. Choose another name, or set \`adopt\``,
    );
    await it.declare(program("{ adopt: true }"));
    await it.succeed("up", "--stack", "theirs");
    expect(it.writes()).toEqual(["POST", "PATCH one"]);

    await it.declare(program('{ env: { LEVEL: "debug" } }'));
    expect(await it.fail("up")).toContain(`is owned by pulumi#${urnOf("one", "theirs")} now, so it wasn't changed`);
    expect(await it.succeed("destroy")).toContain("is released, not deleted");
    expect(await it.alive()).toEqual(alive);
    expect(await it.entries()).toEqual([]);
    expect(it.writes()).toEqual([]);
    await it.succeed("destroy", "--stack", "theirs");
    expect(await it.alive()).toEqual({});
  },
);
