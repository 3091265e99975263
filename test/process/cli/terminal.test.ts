import { expect, test } from "vitest";
import { startMockServer } from "../../../mock-server/server.ts";
import { createCommandProject, secret, writesOf } from "../../kit/cli/command.ts";
import { runInTerminal, type TerminalLine } from "../../kit/cli/terminal.ts";
import { agents } from "../../kit/files.ts";

const file = agents(`  search: {}
  customer-support-in-several-languages:
    depends_on: [search]
    secrets: { MODEL_API_KEY: "\${MODEL_API_KEY}" }`);

/** The lines below the plan. */
function belowPlan(lines: readonly TerminalLine[]): TerminalLine[] {
  return lines.slice(lines.findIndex(({ text }) => text.startsWith("Plan:")) + 1);
}

const texts = (lines: readonly TerminalLine[]) => lines.map(({ text }) => text.trimEnd());

test.each([80, 200])("the table of an apply fits in %i columns, and is replaced at the end", async (columns) => {
  await using mock = await startMockServer({ port: 0, transitions: "time:3s" });
  using project = createCommandProject(mock.url);
  project.write("graphdeploy.yaml", file);
  const { code, lines, frames, isCursorShown } = await runInTerminal(project, { columns }, ["apply", "--yes"]);
  expect([code, isCursorShown]).toEqual([0, true]);
  const tables = frames.map(belowPlan);
  expect(tables.flat().filter(({ isWrapped }) => isWrapped)).toEqual([]);
  const seen = tables.flatMap(texts);
  expect(seen.some((line) => /^· customer-support-in-.* waiting .* after search$/.test(line))).toBe(true);
  expect(seen.some((line) => /^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] search .* CREATING/.test(line))).toBe(true);
  const end = texts(belowPlan(lines)).map((line) => line.replace(/\d+s/, "<time>").replace(/[0-9a-f-]{36}/, "<id>"));
  const key = "customer-support-in-several-languages";
  const url = `${mock.url}/agents/<id>`;
  expect(end).toEqual(
    columns === 80
      ? [
          "",
          `✔ search${" ".repeat(key.length - 6)} created          <time>`,
          `  ${url}`,
          `✔ ${key} created          <time>`,
          `  ${url}`,
          "",
          "Done: 2 created",
        ]
      : [
          "",
          `✔ search${" ".repeat(key.length - 6)} created          <time> ${url}`,
          `✔ ${key} created          <time> ${url}`,
          "",
          "Done: 2 created",
        ],
  );
  expect(texts(lines).join("\n")).not.toContain(secret);
});

test("more deployments than the terminal has lines are summed up in the last one", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "time:3s" });
  using project = createCommandProject(mock.url);
  const keys = Array.from({ length: 12 }, (_, index) => `agent-${index}`);
  project.write("graphdeploy.yaml", agents(keys.map((key) => `  ${key}: {}`).join("\n")));
  const size = { columns: 80, rows: 8 };
  const { code, lines, frames } = await runInTerminal(project, size, ["apply", "--yes", "--parallel", "3"]);
  expect(code).toBe(0);
  const tables = frames.map(belowPlan).map(texts);
  expect(tables.some((table) => table.some((line) => /^… 6 more: \d+ waiting/.test(line)))).toBe(true);
  const end = texts(belowPlan(lines));
  // Nothing of the table is left above the result.
  expect(end.filter((line) => /^[✔⠋·…]/u.test(line))).toHaveLength(12);
  expect(end.at(-1)).toBe("Done: 12 created");
});

test("a terminal of a CI system gets a line for each event", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  using project = createCommandProject(mock.url, { CI: "true" });
  project.write("graphdeploy.yaml", file);
  const { code, lines } = await runInTerminal(project, { columns: 200 }, ["apply", "--yes"]);
  expect(code).toBe(0);
  expect(texts(belowPlan(lines))).toContainEqual(expect.stringMatching(/^search: created in \S+: http:/));
});

test.each([
  ["y", 0, 2],
  ["n", 1, 0],
])("an apply in a terminal asks; %j ends with %i", async (reply, code, writes) => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  using project = createCommandProject(mock.url);
  project.write("graphdeploy.yaml", file);
  let hasTyped = false;
  const result = await runInTerminal(project, { columns: 100 }, ["apply"], (output, type) => {
    if (hasTyped || !output.includes("Apply this plan?")) return;
    hasTyped = true;
    type(`${reply}\r`);
  });
  expect([result.code, writesOf(mock).length]).toEqual([code, writes]);
});

test("Ctrl-C in a terminal leaves the table of what is known, and the cursor", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "manual" });
  using project = createCommandProject(mock.url);
  project.write("graphdeploy.yaml", file);
  let hasTyped = false;
  const result = await runInTerminal(project, { columns: 80 }, ["apply", "--yes"], (output, type) => {
    if (hasTyped || !output.includes("CREATING")) return;
    hasTyped = true;
    type("\u0003");
  });
  expect([result.code, result.isCursorShown]).toEqual([130, true]);
  const end = texts(belowPlan(result.lines)).join("\n");
  expect(end).toMatch(/! search +interrupted.*\n {2}deployment \S+\n {2}revision \S+\n {2}continues on the platform/);
});
