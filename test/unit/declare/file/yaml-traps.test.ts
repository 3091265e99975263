import { expect, test } from "vitest";
import { invalidJsonAt } from "../../../../core/malformed-text.ts";
import { read, shownProblems } from "./read.ts";

const image = "source: external_docker, source_revision_config: { image_uri: registry/agent:1 }";

test("no, off, quoted octals, dates and quoted versions stay strings", () => {
  const { problems, deployments } = read(`version: 1
deployments:
  chat: { ${image}, env: { COUNTRY: no, MODE: off, UMASK: "0022", DAY: 2026-11-29, VERSION: "1.10", TIME: 12:30:45 } }
`);
  expect(problems).toEqual([]);
  expect(deployments[0]?.desired.env).toEqual({
    COUNTRY: "no",
    MODE: "off",
    UMASK: "0022",
    DAY: "2026-11-29",
    VERSION: "1.10",
    TIME: "12:30:45",
  });
});

test("a byte order mark and CRLF don't shift lines or columns", () => {
  expect(shownProblems(read(`\uFEFFversion: 2\r\ndeployments:\r\n  chat: { ${image}, nam: a }\r\n`))).toEqual([
    "1:10 version: must be 1.",
    "3:93 deployments.chat.nam: is not a known key. Did you mean name?",
  ]);
});

test("the directive for YAML 1.1 is refused", () => {
  expect(shownProblems(read("%YAML 1.1\n---\nversion: 1\ndeployments: {}\n"))).toEqual([
    "1:1 is YAML 1.1, which reads no as false and 0755 as 493. Remove the %YAML directive.",
  ]);
});

test("duplicate keys are refused with the line of the first one, in YAML and in JSON", () => {
  expect(shownProblems(read(`version: 1\ndeployments:\n  chat: { ${image} }\n  chat: { ${image} }\n`))).toEqual([
    "4:3 deployments.chat: is declared twice, first in line 3.",
  ]);
  const json = '{\n"version": 1,\n"deployments": {},\n"deployments": {}\n}';
  expect(shownProblems(read(json, { path: "graphdeploy.json" }))).toEqual([
    "4:1 deployments: is declared twice, first in line 3.",
  ]);
});

test("a second document, tags and keys that aren't strings are refused", () => {
  const only = (text: string) => shownProblems(read(text)).filter((problem) => !problem.includes("is required"));
  expect(only("version: 1\ndeployments: {}\n---\nversion: 1\n")).toEqual([
    "3:1 begins a second YAML document. Keep one document in a file.",
  ]);
  expect(only("version: 1\ndeployments: !include other.yaml\n")).toEqual([
    "2:14 has a YAML tag. Only maps, lists, strings, numbers, true, false and null are read.",
  ]);
  expect(only("version: 1\ndeployments: { 1: {}, [a]: {}, null: {}, true: {} }\n")).toEqual([
    ...[16, 23, 32, 42].map((column) => `2:${column} deployments: has a key that isn't a string. Put it in quotes.`),
  ]);
});

test("__proto__ isn't a key, and changes no object", () => {
  const text = `version: 1\ndeployments:\n  chat: { ${image}, env: { __proto__: { polluted: "yes" }, constructor: a } }\n`;
  expect(shownProblems(read(text))).toEqual(["3:100 deployments.chat.env.__proto__: can't be a key."]);
  const json = '{"version": 1, "deployments": {"__proto__": {"source": "github"}}}';
  expect(shownProblems(read(json, { path: "graphdeploy.json" }))).toEqual([
    "1:32 deployments.__proto__: can't be a key.",
  ]);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

test("anchors, aliases and merge keys are resolved, and a mistake in them is reported where it is used and where it is written", () => {
  const text = (level: string) => `version: 1
deployments:
  chat: &base
    source: external_docker
    source_revision_config: { image_uri: registry/agent:1 }
    env: &env { LOG_LEVEL: ${level} }
  search:
    <<: *base
    env: { <<: [*env], MODE: search }
  "<<": { ${image} }
`;
  const { problems, deployments } = read(text("info"));
  expect(problems).toEqual([]);
  expect(deployments.map(({ desired }) => [desired.name, desired.env])).toEqual([
    ["chat", { LOG_LEVEL: "info" }],
    ["search", { LOG_LEVEL: "info", MODE: "search" }],
    ["<<", undefined],
  ]);
  expect(shownProblems(read(text("1")))).toEqual([
    "6:28 deployments.chat.env.LOG_LEVEL: must be a string. Put the value in quotes.",
    "6:28 deployments.search.env.LOG_LEVEL: must be a string. Put the value in quotes.",
  ]);
});

test("an alias without an anchor and a recursive one are refused", () => {
  const text = `version: 1\ndeployments:\n  chat: { ${image}, env: *none, depends_on: &loop [*loop] }\n`;
  expect(shownProblems(read(text)).filter((problem) => problem.includes("alias"))).toEqual([
    "3:98 deployments.chat.env: is an alias without an anchor above. Put a string that begins with * in quotes.",
    "3:124 deployments.chat.depends_on[0][0]: is an alias inside of its own anchor.",
  ]);
});

test("exponentially growing aliases are refused", () => {
  const lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"];
  for (let n = 1; n < 12; n++)
    lines.push(
      `a${n}: &a${n} [${Array(9)
        .fill(`*a${n - 1}`)
        .join(", ")}]`,
    );
  expect(shownProblems(read(`version: 1\ndeployments: {}\n${lines.join("\n")}\n`))).toContainEqual(
    expect.stringContaining("expands too far: aliases may add at most 10000 values."),
  );
});

test("excessive nesting is refused, at any depth", () => {
  for (const depth of [101, 20_000]) {
    const text = `version: 1\ndeployments: { chat: { env: ${"[".repeat(depth)}${"]".repeat(depth)} } }\n`;
    expect(shownProblems(read(text)), String(depth)).toContainEqual(
      expect.stringContaining("is nested more than 100 deep."),
    );
  }
});

test("a file of 5 MB is read, and a larger one refused", () => {
  const text = `version: 1\ndeployments:\n  chat: { ${image} }\n#`;
  const full = text + "x".repeat(5_000_000 - text.length);
  expect(read(full).problems).toEqual([]);
  expect(shownProblems(read(`${full}x`))).toEqual(["1:1 is larger than 5 MB."]);
});

test("a number that can't be kept exactly is refused", () => {
  const text = `version: 1\ndeployments:\n  chat: { ${image}, store: [{ namespace: [a], key: k, value: { id: 12345678901234567890, share: .inf } }] }\n`;
  expect(shownProblems(read(text))).toEqual([
    "3:140 deployments.chat.store[0].value.id: is a number that can't be kept exactly. Put it in quotes.",
    "3:169 deployments.chat.store[0].value.share: is a number that can't be kept exactly. Put it in quotes.",
  ]);
});

test.each([
  ...['{"a":1}', ' [1, -0.5e+3, "\\u00e9\\n", true, false, null, {}, []]\r\n', '"text"', "0"],
  ...["", " ", "{", "[1,]", '{"a":1,}', "{a:1}", "{'a':1}", '{"a":no}', '{"a":"b\n"}', "{} x", "[1 2]", '{"a" 1}'],
  ...["[}", "{]", '"x', "// c\n{}", "01", "+1", "1.", ".5", '"\\x"', "[,1]", '{"a":}', "{,}", "nul", "[1]]", ":"],
])("%j is valid JSON exactly if JSON.parse accepts it", (text) => {
  const parse = () => JSON.parse(text);
  if (invalidJsonAt(text) === undefined) expect(parse).not.toThrow();
  else expect(parse).toThrow(SyntaxError);
});

test("invalid JSON is reported at its location", () => {
  expect(invalidJsonAt('{\n  "a": [1, 2,\n  ]\n}')).toBe(18);
  expect(invalidJsonAt('{"a": 1} trailing')).toBe(9);
});
