import fc from "fast-check";
import { expect, test } from "vitest";
import { possibleValues, readEnvironment, readNames } from "../../../action/environment-input.ts";

test.each<[string, string, Record<string, string>]>([
  ["double quotes", 'A="b c"', { A: "b c" }],
  ["single quotes", "A='b \"c\" \\n'", { A: 'b "c" \\n' }],
  ["an export", "export A=1\n  export B = 'x'", { A: "1", B: "x" }],
  ["escapes in double quotes", String.raw`A="{\"a\": \"\\d\"}\n\x"`, { A: '{"a": "\\d"}\n\\x' }],
  ["a comment behind a quoted text", "A=\"b # c\" # why\nB='d'#e", { A: "b # c", B: "'d'#e" }],
  ["no comment behind a plain value", "A=pass#word # or", { A: "pass#word # or" }],
  [
    "a quoted text of several lines",
    'KEY="-----BEGIN KEY-----\nq83vEg==\n-----END KEY-----"\nB=2',
    { KEY: "-----BEGIN KEY-----\nq83vEg==\n-----END KEY-----", B: "2" },
  ],
  ["quotes on a part of a value", `A="a","b"\nB=it's\nC="x`, { A: '"a","b"', B: "it's", C: '"x' }],
  ["JSON as a value", 'A={"a": "b"}\nB=["c"]', { A: '{"a": "b"}', B: '["c"]' }],
])("lines are read as people write them: %s", (_, text, entries) => {
  expect(readEnvironment("env", text)).toEqual({ entries, problems: [], missing: [] });
});

test("a line with only a name takes the step's variable, and is reported if there is none", () => {
  const env = { OPENAI_API_KEY: "sk-1", EMPTY: "", OTHER: "x" };
  expect(readEnvironment("secrets", "OPENAI_API_KEY\nexport EMPTY\nGONE\nA=1", env)).toEqual({
    entries: { OPENAI_API_KEY: "sk-1", EMPTY: "", A: "1" },
    problems: [],
    missing: ["GONE"],
  });
});

test.each(["c2VjcmV0", "SECR3T", "two words", "lower_case", "toString"])(
  "a line %s that is no usual name is no name: it may be the rest of a secret",
  (line) => {
    const { problems, missing } = readEnvironment("secrets", `KEY=first\n${line}`, { [line]: "x" });
    expect([problems.length, missing]).toEqual([1, []]);
    expect(JSON.stringify(problems)).not.toContain(line);
    expect(possibleValues(`KEY=first\n${line}`)).toContain(line);
  },
);

test("quotes that hold what reads as entries are refused, since one of them may be missing", () => {
  expect(readEnvironment("env", 'A="b\nC=d"\nE=f').problems).toEqual([
    { input: "env", message: expect.stringMatching(/^has what looks like the end of a value in line 2/) },
  ]);
});

test("a quoted value that can't be read is kept out of the log with and without its quotes", () => {
  expect(possibleValues('A="secret-value"\nnot a pair')).toEqual(
    expect.arrayContaining(['"secret-value"', "secret-value"]),
  );
});

test("a number in JSON keeps its source text", () => {
  const text = '{"VERSION": 3.10, "ID": 123456789012345678901, "LARGE": 1e3, "LESS": -0, "ON": true}';
  const entries = { VERSION: "3.10", ID: "123456789012345678901", LARGE: "1e3", LESS: "-0", ON: "true" };
  expect(readEnvironment("env", text)).toEqual({ entries, problems: [], missing: [] });
  expect(readEnvironment("env", '{"LIST": [1], "NONE": null, "MAP": {"a": 1}}').problems).toHaveLength(3);
});

test("names are listed with commas or in lines, and what isn't a name isn't shown", () => {
  expect(readNames("env-remove", " A, B\nC ,\nA").names).toEqual(["A", "B", "C"]);
  const { problems } = readNames("env-remove", "A=sk-secret");
  expect(problems).toHaveLength(1);
  expect(JSON.stringify(problems)).not.toContain("sk-secret");
});

const line = fc.string({ unit: "binary" }).filter((text) => !/[\r\n]/.test(text));

test("escaped text in double quotes is unescaped; any other line is unchanged", () => {
  fc.assert(
    fc.property(fc.array(line), (lines) => {
      const value = lines.join("\n");
      const quoted = value.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n");
      expect(readEnvironment("env", `A="${quoted}"\nB=1`).entries).toEqual({ A: value, B: "1" });
    }),
  );
  fc.assert(
    fc.property(
      line.filter((text) => !/^\s*["']/.test(text)),
      (value) => {
        expect(readEnvironment("env", `A=${value}\nB=1`).entries).toEqual({ A: value, B: "1" });
      },
    ),
  );
});

test("no message about lines that can't be read shows a value", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom("first", "A=", '"', "'", "\n", "x9==\n", " ", "#")), (parts) => {
      const { problems } = readEnvironment("secrets", `KEY="secret-value${parts.join("")}\nand more`);
      for (const { message } of problems) expect(message).not.toMatch(/secret-value|first|x9|and more/);
    }),
  );
});

test.each<[string, string, string[]]>([
  ["twice", '{"A": "first-value", "B": "2", "A": "second-value"}', ["A"]],
  ["twice, once with an escape", String.raw`{"A": "first-value", "\u0041": "second-value"}`, ["A"]],
  ["three times", '{"A":"","A":"","A":"", "__proto__":"", "__proto__":""}', ["A", "__proto__"]],
  ["only inside of values", String.raw`{"A": "\"A\":1, \"A\":2", "B": "}{,\"A\":"}`, []],
])("a name that JSON sets %s is an error by name, as in lines", (_, text, names) => {
  const { problems } = readEnvironment("secrets", text);
  expect(problems.map(({ message }) => message)).toEqual(names.map((name) => `sets ${name} twice.`));
  expect(JSON.stringify(problems)).not.toMatch(/first-value|second-value/);
});

test("JSON that sets each name once has none twice, whatever the names and values are", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.string()), (entries) => {
      expect(readEnvironment("env", JSON.stringify(entries)).problems).toEqual([]);
    }),
  );
});
