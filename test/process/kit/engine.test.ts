import { dynamic } from "@pulumi/pulumi";
import { expect, test } from "vitest";
import { startDynamicProcess, unknown } from "../../kit/pulumi/dynamic-process.ts";
import { createEngine } from "../../kit/pulumi/engine.ts";
import { startLogServer } from "../../kit/pulumi/log-server.ts";

interface Inputs {
  word: string;
  healthy?: boolean;
  seen?: string;
}

const provider: dynamic.ResourceProvider<Inputs, Inputs> = {
  async check(_olds, news) {
    return news.word === "" ? { failures: [{ property: "word", reason: "must not be empty" }] } : { inputs: news };
  },
  async diff(_id, olds, news) {
    return { replaces: olds.word[0] === news.word[0] ? [] : ["word"], deleteBeforeReplace: true };
  },
  async create(inputs) {
    const outs = { ...inputs, seen: "created" };
    if (inputs.healthy === false) {
      throw Object.assign(new Error("not well"), { id: inputs.word, properties: outs, reasons: ["is still starting"] });
    }
    return { id: inputs.word, outs };
  },
  async update(_id, _olds, news) {
    return { outs: { ...news, seen: "updated" } };
  },
  async read(id, props) {
    if (props?.word === "ghost") return {};
    return { id, props: { ...props, word: "drifted" } as Inputs, inputs: { word: "drifted" } };
  },
  async delete(id) {
    if (id === "stuck") throw new Error("can't be deleted");
  },
};

class Word extends dynamic.Resource {
  constructor(name: string, inputs: Inputs) {
    super(provider, name, { ...inputs });
  }
}

test("the engine creates, keeps, updates, replaces and deletes", async () => {
  await using process = await startDynamicProcess();
  await process.configure({ "program:key": "value" });
  const engine = createEngine(process);
  expect(await engine.preview(() => new Word("a", { word: "apple" }))).toEqual([{ name: "a", operation: "create" }]);
  expect(engine.resources.size).toBe(0);
  expect(await engine.up(() => new Word("a", { word: "apple" }))).toEqual([{ name: "a", operation: "create" }]);
  expect(engine.resources.get("a")).toMatchObject({ id: "apple", outputs: { word: "apple", seen: "created" } });
  expect(await engine.up(() => new Word("a", { word: "apple" }))).toEqual([{ name: "a", operation: "same" }]);
  expect(await engine.up(() => new Word("a", { word: "avocado" }))).toEqual([{ name: "a", operation: "update" }]);
  expect(await engine.up(() => new Word("a", { word: "banana" }))).toEqual([{ name: "a", operation: "replace" }]);
  expect(engine.resources.get("a")?.id).toBe("banana");
  expect(await engine.up(() => {})).toEqual([{ name: "a", operation: "delete" }]);
  expect(engine.resources.size).toBe(0);
});

test("the engine keeps a resource that failed to start and updates it next time", async () => {
  await using process = await startDynamicProcess();
  await process.configure({});
  const engine = createEngine(process);
  const program = () => new Word("a", { word: "apple", healthy: false });
  expect(await engine.up(program)).toEqual([{ name: "a", operation: "create", error: "is still starting" }]);
  expect(engine.resources.get("a")).toMatchObject({ id: "apple", initErrors: ["is still starting"] });
  expect(await engine.up(program)).toEqual([{ name: "a", operation: "update" }]);
  expect(engine.resources.get("a")).toMatchObject({ initErrors: [], outputs: { seen: "updated" } });
});

test("a refresh takes over drifted inputs and drops missing resources", async () => {
  await using process = await startDynamicProcess();
  await process.configure({});
  const engine = createEngine(process);
  await engine.up(() => [new Word("a", { word: "apple" }), new Word("g", { word: "ghost" })]);
  expect(await engine.refresh()).toEqual([
    { name: "a", operation: "read" },
    { name: "g", operation: "delete" },
  ]);
  expect(engine.resources.get("a")?.inputs).toMatchObject({ word: "drifted" });
});

test("a failed check and a failed delete are steps with an error", async () => {
  await using process = await startDynamicProcess();
  await process.configure({});
  const engine = createEngine(process);
  expect(await engine.up(() => new Word("a", { word: "" }))).toEqual([
    { name: "a", operation: "create", error: "word: must not be empty" },
  ]);
  await engine.up(() => new Word("a", { word: "stuck" }));
  const [step] = await engine.destroy();
  expect(step?.error).toContain("can't be deleted");
  expect(engine.resources.has("a")).toBe(true);
});

test("the process passes unknown values through check", async () => {
  await using process = await startDynamicProcess();
  await process.configure({});
  const engine = createEngine(process);
  await engine.up(() => new Word("a", { word: "apple" }));
  const stored = engine.resources.get("a");
  const news = { __provider: stored?.inputs.__provider, word: unknown };
  expect((await process.check("urn", {}, news)).inputs).toMatchObject({ word: unknown });
  await process.cancel();
});

test("the log server records the status lines of a provider", async () => {
  await using server = await startLogServer();
  await using process = await startDynamicProcess({ engine: server.address });
  await process.configure({});
  const handler = `exports.handler = () => ({
    async create(inputs) {
      const pulumi = require("@pulumi/pulumi");
      pulumi.runtime.resetOptions(pulumi.runtime.getProject(), "", -1, process.argv.at(-1), "", false, "");
      await pulumi.log.info("building", { urn: pulumi.output(inputs.urn) }, undefined, true);
      return { id: "1", outs: inputs };
    },
  });`;
  await process.create("urn", { __provider: handler, urn: "urn:a" });
  expect(await server.logged("building")).toEqual({
    severity: "info",
    message: "building",
    urn: "urn:a",
    ephemeral: true,
  });
});
