import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { declarativeFileJsonSchema } from "../../../core/declare/file/schema.ts";
import { checkout } from "../../../scripts/run-command.ts";
import { codeBlocks } from "../../kit/docs/markdown.ts";
import { LanguageServer } from "./language-server.ts";

const guide = "docs/guides/declarative-file.md";
const comment = "# yaml-language-server: $schema=./graphdeploy.schema.json\n";
const source = "source: external_docker, source_revision_config: { image_uri: registry/agent:1 }";

let folder: string;
let server: LanguageServer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "graphdeploy-editor-"));
  await writeFile(join(folder, "graphdeploy.schema.json"), JSON.stringify(declarativeFileJsonSchema()));
  server = await LanguageServer.start(folder);
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

test("an editor finds nothing wrong in the file of the guide", async () => {
  const [example] = codeBlocks({ path: guide, text: await readFile(join(checkout, guide), "utf8") });
  const text = (example?.code ?? "").replace(/^#.*\n/, comment);
  expect(text).toContain(comment);
  expect(await server.open("good.yaml", text)).toEqual([]);
});

test.each([
  ["an unknown key at the top", "version: 1\ndeployment: {}\ndeployments: {}\n", 2, "deployment"],
  ["another version", "version: 2\ndeployments: {}\n", 1, "1"],
  ["no deployments", "version: 1\n", 1, "deployments"],
  ["a misspelt field", `version: 1\ndeployments:\n  chat: { ${source}, displayName: a }\n`, 3, "displayName"],
  ["a number in an environment", `version: 1\ndeployments:\n  chat:\n    env:\n      PORT: 1\n`, 5, "string"],
  ["a list where a map belongs", "version: 1\ndeployments:\n  - chat\n", 3, "object"],
  ["null outside of environments", "version: 1\ndefaults:\n  env: null\ndeployments: {}\n", 3, "object"],
  [
    "an unknown key in an overlay",
    "version: 1\ndeployments: {}\nenvironments:\n  staging:\n    defaults:\n      sorce: a\n",
    6,
    "sorce",
  ],
  [
    "a truth value of YAML 1.1",
    `version: 1\ndeployments:\n  chat: { source_config: { build_on_push: no } }\n`,
    3,
    "boolean",
  ],
])("an editor marks %s", async (name, text, line, word) => {
  const diagnostics = await server.open(`${name.replaceAll(" ", "-")}.yaml`, comment + text);
  // The comment is on the first line, which the protocol counts as 0.
  const found = diagnostics.map(({ range, message }) => `${range.start.line}: ${message}`);
  expect(found).toContainEqual(expect.stringMatching(new RegExp(`^${line}: .*${word}`)));
});

test("an editor completes keys and values, and explains them", async () => {
  const text = `${comment}version: 1\ndeployments:\n  chat:\n    source: \n    \n`;
  await server.open("completed.yaml", text);
  expect(await server.complete("completed.yaml", { line: 5, character: 4 })).toEqual(
    expect.arrayContaining(["source_config", "env", "secrets", "depends_on", "assistants"]),
  );
  expect(await server.complete("completed.yaml", { line: 4, character: 12 })).toEqual(
    expect.arrayContaining(["github", "external_docker"]),
  );
  expect(await server.hover("completed.yaml", { line: 4, character: 5 })).toContain("Where the code comes from");
});
