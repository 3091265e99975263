import type { Command } from "commander";
import { commands } from "../../cli/commands.ts";
import { code, page, table } from "./markdown.ts";

/** The commands and their options, from the program that parses them. */
export async function commandLinePage(): Promise<string> {
  const loaded = await Promise.all(commands.map(({ load }) => load()));
  return page(
    "Command line",
    "Installed, the command is `graphdeploy`. In a checkout, `npm run mock -- …` and `npm run dev -- …` run those two from the sources. The commands that work with a file: [guide](../guides/cli.md).",
    "Exit codes of every command: 0 for success, which is also the end of a server by a signal; 1 for a failure, such as a port in use, a file with problems or a graph that doesn't load; 2 for wrong usage, such as an unknown option, a value that an option doesn't take, or a file that can't be read. Those that a command adds stand with it.",
    ...loaded.flatMap((command) => [`## \`graphdeploy ${command.name()}\``, command.description(), optionsOf(command)]),
  );
}

function optionsOf(command: Command): string {
  const rows = command.options.map((option) => {
    const choices = option.argChoices === undefined ? "" : `: ${option.argChoices.map(code).join(" or ")}`;
    const variable = option.envVar === undefined ? "" : `; also from ${code(option.envVar)}`;
    // A flag without an argument is off unless it is given.
    const fallback = option.isBoolean() ? "" : String(option.defaultValueDescription ?? option.defaultValue ?? "");
    return [code(option.flags), `${option.description}${choices}${variable}`, code(fallback)];
  });
  const given = command.registeredArguments.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
    return [code(argument.required ? `<${name}>` : `[${name}]`), argument.description, ""];
  });
  return table(["option", "meaning", "default"], [...given, ...rows]);
}
