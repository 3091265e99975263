import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { defaultProjectSettings } from "../../../../mock-server/agent-server/project-settings.ts";
import { readGraphConfig } from "../../../../mock-server/worker/load/graph-config.ts";

let folder: string;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "graph-config-")));
});
afterEach(() => rm(folder, { recursive: true }));

async function write(files: Record<string, string>): Promise<string> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return join(folder, "graph.json");
}

async function refusal(files: Record<string, string>): Promise<string> {
  const path = await write(files);
  const error = await readGraphConfig(path).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ name: "ConfigError" });
  return (error as Error).message.replaceAll(`${folder}/`, "");
}

test("a graph configuration file has the graphs, the environment, the auth handlers and the routes", async () => {
  const path = await write({
    "graph.json": JSON.stringify({
      graphs: { agent: "./src/agent.ts:agent", other: { path: "./src/agent.ts:other", description: "Another." } },
      env: { LEVEL: 3, DEBUG: true },
      auth: { path: "./auth.mjs:auth", disable_studio_auth: true },
      http: {
        app: "./src/agent.ts:app",
        disable_store: true,
        cors: { allow_origins: ["https://a.example"] },
        mount_prefix: "/api/",
      },
      ui: { agent: "./src/ui.tsx" },
      ui_config: { shared: ["three"] },
      _INTERNAL_docker_tag: "x",
    }),
    "src/agent.ts": "",
    "src/ui.tsx": "",
    "auth.mjs": "",
  });
  expect(await readGraphConfig(path)).toEqual({
    file: path,
    folder,
    graphs: [
      { id: "agent", module: join(folder, "src/agent.ts"), exportName: "agent", description: null },
      { id: "other", module: join(folder, "src/agent.ts"), exportName: "other", description: "Another." },
    ],
    env: { LEVEL: "3", DEBUG: "true" },
    envFile: null,
    auth: { module: join(folder, "auth.mjs"), exportName: "auth", disableStudioAuth: true, cache: null },
    http: {
      app: { module: join(folder, "src/agent.ts"), exportName: "app" },
      disabled: ["store"],
      cors: { allow_origins: ["https://a.example"] },
      mountPrefix: "/api",
      isAuthFirst: false,
      isAppGuarded: false,
    },
    ui: { files: { agent: join(folder, "src/ui.tsx") }, shared: ["three"] },
    settings: defaultProjectSettings,
    webhookEnvPrefix: "LG_WEBHOOK_",
    warnings: [],
  });
});

test("the environment may be a file of the project, or a list of names of this process", async () => {
  const agent = { "a.mjs": "" };
  const graphs = { agent: "./a.mjs:agent" };
  const fromFile = await write({
    ...agent,
    "graph.json": JSON.stringify({ graphs, env: ".env" }),
    ".env": '# a comment\nKEY="two words"\nPLAIN=1\n',
  });
  expect((await readGraphConfig(fromFile)).env).toEqual({ KEY: "two words", PLAIN: "1" });
  const fromNames = await write({ "graph.json": JSON.stringify({ graphs, env: ["PATH", "SURELY_NOT_SET"] }) });
  expect((await readGraphConfig(fromNames)).env).toEqual({ PATH: process.env.PATH });
});

test("a key without effect is preserved with a warning that names its line", async () => {
  const path = await write({
    "graph.json": '{\n  "graphs": { "agent": "./a.mjs:agent" },\n  "colour": "red",\n  "http": { "teapot": "/x" }\n}',
    "a.mjs": "",
  });
  expect((await readGraphConfig(path)).warnings.map((line) => line.replace(`${folder}/`, ""))).toEqual([
    "graph.json:3: colour has no effect here.",
    "graph.json:4: http.teapot has no effect here.",
  ]);
});

test.each([
  [{ grahps: {} }, 'grahps has no effect here; did you mean "graphs".'],
  [
    { graphs: { agent: { path: "./a.mjs:a", descripton: "x" } } },
    'descripton has no effect here; did you mean "description".',
  ],
  [
    { http: { cors: { allow_origin: [] } } },
    'http.cors.allow_origin has no effect here; did you mean "allow_origins".',
  ],
  [{ http: { middleware_oder: "x" } }, 'http.middleware_oder has no effect here; did you mean "middleware_order".'],
  [{ store: { index: { dims: 3, model: "x" } } }, "store.index.model has no effect here."],
  [{ store: { index: { dims: 3 } } }, "store.index has no effect here: items aren't embedded"],
  [{ checkpointer: { serde: {} } }, "checkpointer.serde has no effect here: checkpoints of JavaScript"],
  [
    { checkpointer: { path: "./a.py:a" } },
    "checkpointer.path has no effect here: checkpoints are stored by the server",
  ],
  [{ encryption: { path: "./a.py:a" } }, "encryption has no effect here: what is stored isn't encrypted."],
  [{ base_image: "a" }, "base_image has no effect here: no image is built."],
  [{ python_version: "3.12" }, "python_version has no effect here: graphs here are JavaScript or TypeScript."],
  [{ node_version: "18" }, "node_version is 18, and the graphs run on Node.js"],
])("a key without effect is reported at any depth: %j", async (changes, warning) => {
  const path = await write({
    "graph.json": JSON.stringify({ graphs: { agent: "./a.mjs:agent" }, ...changes }),
    "a.mjs": "",
  });
  expect((await readGraphConfig(path)).warnings.join("\n")).toContain(warning);
});

test("keys that other tools need are ignored", async () => {
  const others = { $schema: "x", dependencies: ["."], _INTERNAL_docker_tag: "y" };
  const path = await write({
    "graph.json": JSON.stringify({
      graphs: { agent: "./a.mjs:agent" },
      node_version: process.versions.node,
      ...others,
    }),
    "a.mjs": "",
  });
  expect((await readGraphConfig(path)).warnings).toEqual([]);
});

test("all problems are reported at once, each with its line", async () => {
  const text = [
    "{",
    '  "graphs": {',
    '    "agent": "./agent.ts",',
    '    "gone": "./gone.ts:graph",',
    '    "outside": "../../etc/passwd:root",',
    '    "snake": "./agent.py:graph",',
    '    "package": "my_agent.graphs:graph"',
    "  },",
    '  "auth": { "path": "./auth.py:auth" },',
    '  "env": "./secret.env"',
    "}",
  ].join("\n");
  expect((await refusal({ "graph.json": text, "agent.ts": "" })).split("\n")).toEqual([
    "graph.json:3: graphs.agent: is ./agent.ts, which lacks the export: write ./file.ts:export",
    "graph.json:4: graphs.gone: names ./gone.ts, which doesn't exist",
    expect.stringMatching(/^graph\.json:5: graphs\.outside: names \.\.\/\.\.\/etc\/passwd, which /),
    "graph.json:6: graphs.snake: names ./agent.py:graph, which is Python: graphs here are JavaScript or TypeScript modules",
    "graph.json:7: graphs.package: names my_agent.graphs:graph, which is Python: graphs here are JavaScript or TypeScript modules",
    "graph.json:9: auth.path: names ./auth.py:auth, which is Python: auth handlers here are JavaScript or TypeScript modules",
    "graph.json:10: env: names ./secret.env, which doesn't exist",
  ]);
});

test("a link that leads out of the project is refused", async () => {
  await write({ "project/graph.json": '{"graphs":{"agent":"./link.mjs:agent"}}', "elsewhere.mjs": "" });
  await symlink("../elsewhere.mjs", join(folder, "project/link.mjs"));
  await expect(readGraphConfig(join(folder, "project/graph.json"))).rejects.toThrow(/outside the folder/);
});

test("invalid values are reported with what is expected", async () => {
  const message = await refusal({
    "graph.json": '{\n"graphs": { "a b": "./a.mjs:x", "list": [] },\n"env": 3,\n"http": { "disable_store": "yes" }\n}',
  });
  expect(message.split("\n")).toEqual([
    "graph.json:2: graphs.a b: must be a graph id without spaces, slashes, bars and colons",
    'graph.json:2: graphs.list: must be "./file.ts:export", or an object with such a "path"',
    "graph.json:3: env: must be an object of variables, the path of an environment file, or a list of names",
    "graph.json:4: http.disable_store: Invalid input: expected boolean, received string",
  ]);
  expect(await refusal({ "graph.json": '{ "graphs": {} }' })).toBe(
    "graph.json:1: graphs: must name at least one graph",
  );
  expect(await refusal({ "graph.json": "[]" })).toBe("graph.json: Invalid input: expected object, received array");
});

test("a missing key is reported at the misspelt one that stands for it", async () => {
  expect(await refusal({ "graph.json": '{\n  "grahps": { "agent": "./a.mjs:agent" }\n}' })).toBe(
    'graph.json:2: grahps: isn\'t a known key; did you mean "graphs"?',
  );
  expect(await refusal({ "graph.json": '{ "env": {} }' })).toBe("graph.json: graphs: is missing");
  expect(await refusal({ "graph.json": '{ "graphs": { "a": "./a.mjs:a" }, "auth": { "paht": "./a.mjs:a" } }' })).toBe(
    'graph.json:1: auth.paht: isn\'t a known key; did you mean "path"?',
  );
});

test("a missing or invalid file is reported with its path and line", async () => {
  await expect(readGraphConfig(join(folder, "none.json"))).rejects.toThrow(/none\.json can't be read/);
  expect(await refusal({ "graph.json": '{\n  "graphs": {\n}' })).toBe(
    "graph.json:1 opens a quote or bracket that is never closed.",
  );
  expect(await refusal({ "graph.json": '{\n  "graphs": {},,\n}' })).toBe("graph.json:2 is not valid JSON.");
  // Other parsers quote the text, which may be a secret.
  expect(await refusal({ "graph.json": '{ "env": { "KEY": "hunter2" "B": "" } }' })).toBe(
    "graph.json:1 is not valid JSON.",
  );
});
