import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { fileOutputs } from "../../../action/file/report.ts";
import { inputDefaults } from "../../../action/input-defaults.ts";
import { outputs } from "../../../action/outputs.ts";
import { checkout } from "../../../scripts/run-command.ts";
import { actionFile } from "../../kit/github/step.ts";

const docs = await readFile(join(checkout, "docs/guides/action.md"), "utf8");

test("action.yml has the inputs of the code, with the same defaults", () => {
  const inFile = Object.entries(actionFile.inputs).map(([name, { default: fallback = "" }]) => [name, fallback]);
  const inCode = Object.entries(inputDefaults).map(([name, fallback]) =>
    name === "github-token" ? [name, "$" + "{{ github.token }}"] : [name, fallback],
  );
  expect(inFile.sort()).toEqual(inCode.sort());
  const required = Object.entries(actionFile.inputs).filter(([, { required }]) => required === true);
  // Either name or config.
  expect(required).toEqual([]);
});

test("action.yml has the outputs of the code", () => {
  expect(Object.keys(actionFile.outputs).sort()).toEqual(
    [...new Set([...Object.keys(outputs), ...Object.keys(fileOutputs)])].sort(),
  );
});

test.each([...Object.entries(actionFile.inputs), ...Object.entries(actionFile.outputs)])(
  "%s is described with an example",
  (_, { description }) => {
    expect(description).toMatch(/\. Example: \S/);
  },
);

test("main and post run on the Node.js that the bundle is tested with", async () => {
  expect(actionFile.runs).toEqual({ using: "node24", main: "dist/index.js", post: "dist/post.js" });
  expect(process.versions.node.split(".")[0]).toBe("24");
  expect(JSON.parse(await readFile(join(checkout, "dist/package.json"), "utf8"))).toEqual({ type: "module" });
});

test("the bundle comes with the licences of its packages", async () => {
  const licences = await readFile(join(checkout, "dist/licenses.txt"), "utf8");
  for (const name of ["@actions/core", "@actions/github", "undici", "zod"])
    expect(licences.split("\n")).toContain(name);
});

interface Workflow {
  jobs: Record<string, { steps: { id?: string; uses?: string; with?: Record<string, string> }[] }>;
}

test.each(globSync("examples/workflows/*.yml", { cwd: checkout }))(
  "%s uses inputs and outputs that exist",
  async (path) => {
    const text = await readFile(join(checkout, path), "utf8");
    const steps = Object.values((parse(text) as Workflow).jobs).flatMap((job) => job.steps);
    const own = steps.filter(({ uses }) => uses?.startsWith("OWNER/graphdeploy@"));
    expect(own.length).toBeGreaterThan(0);
    for (const { id, with: given = {} } of own) {
      expect(Object.keys(actionFile.inputs)).toEqual(expect.arrayContaining(Object.keys(given)));
      expect(Object.keys(given)).toEqual(expect.arrayContaining(["api-key", "config" in given ? "config" : "name"]));
      const used = [...text.matchAll(new RegExp(`steps\\.${id}\\.outputs\\.([a-z-]+)`, "g"))].map(([, name]) => name);
      expect(Object.keys(actionFile.outputs)).toEqual(expect.arrayContaining(used));
    }
    expect(docs).toContain(path.split("/").at(-1));
  },
);
