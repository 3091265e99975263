import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import { checkout } from "../run-command.ts";
import { code, page, table } from "./markdown.ts";

interface Described {
  description: string;
  default?: string;
  required?: boolean;
}

interface ActionFile {
  inputs: Record<string, Described>;
  outputs: Record<string, Described>;
}

/** The inputs and outputs of the Action, from `action.yml`. */
export async function actionPage(): Promise<string> {
  const { inputs, outputs } = parse(await readFile(join(checkout, "action.yml"), "utf8")) as ActionFile;
  const inputRows = Object.entries(inputs).map(([name, input]) => {
    const { text, example } = parts(input.description);
    return [code(name), input.required === true ? "required" : code(input.default ?? ""), text, example];
  });
  const outputRows = Object.entries(outputs).map(([name, output]) => {
    const { text, example } = parts(output.description);
    return [code(name), text, example];
  });
  return page(
    "Inputs and outputs of the Action",
    "What they mean together: [the guide to the Action](../guides/action.md).",
    "## Inputs",
    table(["input", "default", "meaning", "example"], inputRows),
    "## Outputs",
    table(["output", "meaning", "example"], outputRows),
  );
}

/** Descriptions end with an example. */
function parts(description: string): { text: string; example: string } {
  const [text = "", example = ""] = description.split(/\.? Example: /);
  return { text: `${text}.`, example: /as an expression$/.test(example) ? expression(example) : code(example) };
}

function expression(example: string): string {
  return code(`\${{ ${example.replace(/, as an expression$/, "")} }}`);
}
