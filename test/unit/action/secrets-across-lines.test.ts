import * as core from "@actions/core";
import { expect, onTestFinished, test, vi } from "vitest";
import { Console } from "../../../action/console.ts";
import { Redactor } from "../../../core/redact.ts";

test.each([
  ["carriage returns", "s3cr3t-v", ["it is s3cr3t-\rv"]],
  ["the end of a line", "first-half\nsecond-half", ["it is first-half", "second-half"]],
])("a secret with %s in it is redacted from a log", (_, secret, lines) => {
  const written: string[] = [];
  const write = vi.spyOn(process.stdout, "write").mockImplementation((text) => written.push(String(text)) > 0);
  onTestFinished(() => write.mockRestore());
  new Console(new Redactor([secret]), core).printLog("Build log", lines);
  expect(written.join("")).not.toMatch(/s3cr3t|second-half/);
});
