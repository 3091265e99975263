import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { declarativeFileJsonSchema } from "../../../core/declare/file/schema.ts";
import { checkout } from "../../../scripts/run-command.ts";
import { codeBlocks } from "../../kit/docs/markdown.ts";
import { startYamlLanguageServer } from "../../kit/editor/yaml-language-server.ts";

const folder = mkdtempSync(join(tmpdir(), "graphdeploy-editor-"));
afterAll(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, "graphdeploy.schema.json"), JSON.stringify(declarativeFileJsonSchema()));

const path = "docs/guides/declarative-file.md";
const [example] = codeBlocks({ path, text: readFileSync(join(checkout, path), "utf8") });
const good = (example?.code ?? "").replace(/\$schema=\S+/, "$schema=./graphdeploy.schema.json");
const file = (name: string) => join(folder, name);

test("an editor underlines nothing in the file of the guide, and each mistake in its line", async () => {
  await using server = await startYamlLanguageServer(folder);
  expect(good).toContain("$schema=./graphdeploy.schema.json");
  expect(await server.open(file("good.yaml"), good)).toEqual([]);
  const broken = good
    .replace("integration: auto", "integraton: auto")
    .replace("LOG_LEVEL: info", "LOG_LEVEL: 1")
    .replace("build_on_push: false", "build_on_push: maybe");
  const underlined = (await server.open(file("broken.yaml"), broken)).map(({ range, message }) => {
    return `${broken.split("\n")[range.start.line]?.trim()} (${message})`;
  });
  expect(underlined.toSorted()).toEqual([
    'LOG_LEVEL: 1 (Incorrect type. Expected "string".)',
    'build_on_push: maybe (Incorrect type. Expected "boolean".)',
    "integraton: auto (Property integraton is not allowed.)",
  ]);
});

test("an editor completes keys and known values, and shows what a key means", async () => {
  await using server = await startYamlLanguageServer(folder);
  const lines = good.split("\n");
  const at = (text: string) => lines.findIndex((line) => line.trimStart().startsWith(text));
  const name = file("completed.yaml");
  const line = at("source: github");
  lines[line] = "  source: ";
  lines.splice(line + 1, 0, "  ");
  await server.open(name, lines.join("\n"));
  const labels = async (row: number, column: number) => {
    const completions = await server.request("textDocument/completion", name, row, column);
    return (completions as { items: { label: string }[] }).items.map(({ label }) => label);
  };
  expect(await labels(line, "  source: ".length)).toEqual(
    expect.arrayContaining(["github", "external_docker", "internal_docker", "internal_source"]),
  );
  expect(await labels(line + 1, 2)).toEqual(expect.arrayContaining(["display_name", "secrets", "secret_references"]));
  const shown = await server.request("textDocument/hover", name, at("depends_on"), 6);
  expect(JSON.stringify(shown)).toContain("that must be live before");
});
