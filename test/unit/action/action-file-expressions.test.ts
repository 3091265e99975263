import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkout } from "../../../scripts/run-command.ts";

// The runner also evaluates expressions in descriptions of action.yml, without the contexts of a workflow: with one of
// them, the action doesn't load.

test("action.yml has an expression only in the default of the token", async () => {
  const lines = (await readFile(join(checkout, "action.yml"), "utf8")).split("\n");
  expect(lines.filter((line) => line.includes("$" + "{{"))).toEqual(["    default: $" + "{{ github.token }}"]);
});
