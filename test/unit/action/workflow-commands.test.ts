import * as core from "@actions/core";
import { expect, onTestFinished, test, vi } from "vitest";
import { Console } from "../../../action/console.ts";
import { Redactor } from "../../../core/redact.ts";

// The runner reads lines like .NET: a lone carriage return ends one, and U+0085 is white space. `##[` starts a command
// anywhere in a line.

function printed(print: (console: Console) => void): string {
  let text = "";
  const write = vi.spyOn(process.stdout, "write").mockImplementation((chunk) => {
    text += chunk;
    return true;
  });
  onTestFinished(() => write.mockRestore());
  print(new Console(new Redactor(), core));
  return text;
}

/** The lines that the runner treats as commands. */
function commandsIn(text: string): string[] {
  return text.split(/\r\n|\r|\n/).filter((line) => /^[\s\u0085]*::\w/.test(line) || line.includes("##["));
}

test.each([
  "status\n::add-path::/tmp",
  "status\r::add-path::/tmp",
  "status\r\n  ::add-path::/tmp",
  "status\n\u0085::add-path::/tmp",
  "status ##[add-path]/tmp",
])("%j is printed as text", (quoted) => {
  expect(commandsIn(printed((console) => console.info(quoted)))).toEqual([]);
  expect(commandsIn(printed((console) => console.warning(quoted)))).toHaveLength(1);
});

test("lines of a log are printed while workflow commands are stopped", () => {
  const text = printed((console) => console.printLog("Build log", ["a\r::add-path::/tmp", "##[add-mask]x"]));
  const [, token] = /::stop-commands::(\S+)\n/.exec(text) ?? [];
  expect(text.indexOf("##[add-mask]x")).toBeLessThan(text.indexOf(`::${token}::`));
  expect(text).not.toContain("\r");
});
