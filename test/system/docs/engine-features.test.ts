import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkout, pulumiSdk } from "../../kit/pulumi/command-line.ts";

const page = await readFile(join(checkout, "docs/reference", "pulumi-engine.md"), "utf8");

interface Row {
  feature: string;
  limits: string;
  shownBy: string;
}

const rows: Row[] = page
  .split("\n")
  .filter((line) => line.startsWith("| ") && !line.startsWith("| feature "))
  .map((line) => {
    const [, feature = "", , limits = "", shownBy = ""] = line.split("|").map((cell) => cell.trim());
    return { feature, limits, shownBy };
  });

/** The names of an interface's own fields in the declarations of Pulumi's SDK. */
function optionsOf(declarations: string, name: string): string[] {
  const [, body = ""] = new RegExp(`export interface ${name} .*?\\{\\n([\\s\\S]*?)\\n\\}`).exec(declarations) ?? [];
  return [...body.matchAll(/^ {4}(\w+)\?:/gm)].map(([, option = ""]) => option);
}

test("every testable feature has a test whose title contains what the page says", async () => {
  expect(rows.length).toBeGreaterThan(50);
  for (const { feature, shownBy } of rows) {
    if (shownBy === "–") continue;
    const tests = [...shownBy.matchAll(/`(test\/[^`]+)`: ([^;]+)/g)];
    expect(tests.length, feature).toBeGreaterThan(0);
    for (const [, file = "", title = ""] of tests) {
      expect(await readFile(join(checkout, file), "utf8"), `${feature}: ${file}`).toContain(title);
    }
  }
});

test("every resource option of Pulumi's SDK is on the page", async () => {
  const declarations = await readFile(join(pulumiSdk, "resource.d.ts"), "utf8");
  const named = rows.flatMap(({ feature }) => [...feature.matchAll(/`(\w+)`/g)].map(([, name]) => name));
  const options = ["ResourceOptions", "CustomResourceOptions", "ComponentResourceOptions"].flatMap((name) => {
    const found = optionsOf(declarations, name);
    expect(found, name).not.toEqual([]);
    return found;
  });
  expect(options.filter((option) => !named.includes(option))).toEqual([]);
});
