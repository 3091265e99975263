import { expect, test } from "vitest";
import { createInlineProject, createPulumiProject, type ProgramKind } from "../../kit/pulumi/cli.ts";
import { pulumiCli } from "../../kit/pulumi/command-line.ts";

const cli = await pulumiCli();

const providerBody = `({
  async create(inputs) { return { id: "id-1", outs: { ...inputs, shout: inputs.word.toUpperCase() } }; },
  async update(id, olds, news) { return { outs: { ...news, shout: news.word.toUpperCase() } }; },
  async delete() {},
})`;
const imports = {
  typescript: `import * as pulumi from "@pulumi/pulumi";`,
  commonjs: `const pulumi = require("@pulumi/pulumi");`,
  esm: `import * as pulumi from "@pulumi/pulumi";`,
} as const;

function program(kind: ProgramKind, word: string): string {
  const output = kind === "commonjs" ? "exports.shout = echo.shout;" : "export const shout = echo.shout;";
  const source = `${imports[kind]}
class Echo extends pulumi.dynamic.Resource {
  constructor(name, props) { super(${providerBody}, name, { shout: undefined, ...props }); }
}
const echo = new Echo("echo", { word: "${word}" });
${output}
`;
  if (kind !== "typescript") return source;
  return source
    .replace("async create(inputs)", "async create(inputs: any)")
    .replace("async update(id, olds, news)", "async update(id: string, olds: any, news: any)")
    .replace(
      "constructor(name, props)",
      "declare readonly shout: pulumi.Output<string>;\n  constructor(name: string, props: { word: string })",
    );
}

const suffix = cli.path === undefined ? ` (skipped: ${cli.reason})` : "";
const whenPossible = test.skipIf(cli.path === undefined);

whenPossible.each(["typescript", "commonjs", "esm"] as const)(
  `a program in %s is previewed, created, updated and destroyed by the real CLI${suffix}`,
  async (kind) => {
    await using project = await createPulumiProject({ cli: cli.path ?? "", kind, program: program(kind, "hello") });
    const preview = await project.preview();
    expect(preview, preview.stdout + preview.stderr).toMatchObject({ code: 0 });
    expect(preview.stdout).toContain("2 to create");
    const up = await project.up();
    expect(up, up.stdout + up.stderr).toMatchObject({ code: 0 });
    expect(await project.outputs()).toEqual({ shout: "HELLO" });
    await project.writeProgram(program(kind, "bye"));
    await project.up();
    expect(await project.outputs()).toEqual({ shout: "BYE" });
    const exported = await project.exportStack();
    expect(exported.deployment.resources?.map((resource) => resource.id)).toContain("id-1");
    const destroy = await project.destroy();
    expect(destroy, destroy.stdout + destroy.stderr).toMatchObject({ code: 0 });
    expect((await project.exportStack()).deployment.resources ?? []).toEqual([]);
  },
);

whenPossible(`an inline program of the Automation API is run by the real CLI${suffix}`, async () => {
  const { dynamic } = await import("@pulumi/pulumi");
  await using project = await createInlineProject({
    cli: cli.path ?? "",
    program: async () => {
      const provider = { create: async (inputs: { word: string }) => ({ id: "id-2", outs: inputs }) };
      class Word extends dynamic.Resource {}
      new Word(provider, "word", { word: "hello" });
      return { done: true };
    },
  });
  const up = await project.stack.up();
  expect(up.outputs.done?.value).toBe(true);
  await project.stack.destroy();
});
