import { stripVTControlCharacters } from "node:util";
import { inWireNames } from "../../core/declare/file/declaration.ts";

/** Names of settings and options in the core's messages, and those of the command line. */
const optionNames = [
  [/set `adopt`/g, "pass --adopt"],
  [/^only: /, ""],
  [/\bbaseUrl\b/g, "--base-url"],
  [/\bworkspaceId\b/g, "--workspace-id"],
  [/\bapiKeyEnv\b/g, "--api-key-env"],
] as const;

/** A message of the core in the words of the command line and of the file, without control sequences. */
export function cliText(message: string): string {
  return printable(message)
    .split("\n")
    .map((line) => (line.startsWith(logIndent) ? line : inWordsOfCli(line)))
    .join("\n");
}

/** Begins the lines of a log in a message, which stay as they are. */
const logIndent = "    ";

function inWordsOfCli(line: string): string {
  return inWireNames(optionNames.reduce((text, [name, option]) => text.replace(name, option), line));
}

/** Text from elsewhere as a terminal may show it: with line breaks and tabs, without other control characters, or those that turn text around. */
export function printable(text: string): string {
  return stripVTControlCharacters(text).replace(/(?![\t\n])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, "");
}

/** `1 deployment`, `2 deployments`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
