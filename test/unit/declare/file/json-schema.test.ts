import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { declarativeFileJsonSchema } from "../../../../core/declare/file/schema.ts";
import { checkout } from "../../../../scripts/run-command.ts";
import { codeBlocks } from "../../../kit/docs/markdown.ts";

const path = "docs/guides/declarative-file.md";
const [example] = codeBlocks({ path, text: readFileSync(join(checkout, path), "utf8") });
const schema = z.fromJSONSchema(declarativeFileJsonSchema() as Parameters<typeof z.fromJSONSchema>[0]);
const good = parse(example?.code ?? "");

test("the JSON Schema accepts the file in declarative-file.md", () => {
  expect(schema.safeParse(good).error?.issues).toBeUndefined();
});

test.each([
  ["another version", { ...good, version: 2 }],
  ["an unknown key", { ...good, deployment: {} }],
  ["a field in camel case", { ...good, deployments: { chat: { displayName: "Chat" } } }],
  ["a number in an environment", { ...good, deployments: { chat: { env: { PORT: 1 } } } }],
  ["a null outside of environments", { ...good, defaults: { env: null } }],
  [
    "an unknown key in an environment",
    { ...good, environments: { staging: { deployments: { chat: { sorce: "a" } } } } },
  ],
])("the JSON Schema refuses %s", (_, file) => {
  expect(schema.safeParse(file).success).toBe(false);
});

test("the JSON Schema describes every key, and offers the known values", () => {
  const shown = JSON.stringify(declarativeFileJsonSchema());
  expect(shown).toContain('"enum":["github","external_docker","internal_docker","internal_source"]');
  const undescribed: string[] = [];
  const visit = (part: unknown, at: string): void => {
    if (typeof part !== "object" || part === null) return;
    for (const [name, inner] of Object.entries(part)) {
      // The platform's own fields are described with the provider.
      if (name === "resource_spec") continue;
      if (name === "properties") {
        for (const [key, field] of Object.entries(inner as Record<string, object>)) {
          if (!JSON.stringify(field).includes('"description"')) undescribed.push(`${at}.${key}`);
        }
      }
      visit(inner, `${at}.${name}`);
    }
  };
  visit(declarativeFileJsonSchema(), "");
  expect(undescribed).toEqual([]);
});
