import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readEvent } from "../../../action/event.ts";

test.each([["empty", ""] as const, ["cut", '{"action": "opened"'] as const, ["missing", undefined] as const])(
  "an event file that is %s is reported as such",
  async (_, text) => {
    const folder = await mkdtemp(join(tmpdir(), "graphdeploy-event-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const path = join(folder, "event.json");
    if (text !== undefined) await writeFile(path, text);
    expect(() => readEvent({ GITHUB_EVENT_PATH: path })).toThrow(
      `The event of this run can't be read from ${path} (GITHUB_EVENT_PATH): `,
    );
  },
);

test.each(["[]", "null", '"text"', "1"])("a payload %s says nothing, and is no mistake", async (text) => {
  const folder = await mkdtemp(join(tmpdir(), "graphdeploy-event-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, "event.json");
  await writeFile(path, text);
  expect(readEvent({ GITHUB_EVENT_PATH: path }).payload.action).toBeUndefined();
});
