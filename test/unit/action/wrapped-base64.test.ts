import { expect, test } from "vitest";
import { readEnvironment } from "../../../action/environment-input.ts";

const wrapped = Buffer.alloc(48, "a secret of 48 bytes").toString("base64");

test.each([
  ["ends with two signs", `KEY=${wrapped}\nc2VjcmV0IQ==`],
  ["ends with one sign", `KEY=${wrapped}\nc2VjcmV0ISE=`],
  ["follows after another entry", `OTHER=1\nKEY=${wrapped}\nc2VjcmV0ISE=`],
  ["ends a quoted text", `KEY="first line\nsecond="`],
])("the last line of a secret that %s is refused, not taken for an entry", (_, text) => {
  const { problems } = readEnvironment("secrets", text);
  expect(problems).toEqual([
    { input: "secrets", message: expect.stringContaining("A value of several lines needs the JSON form") },
  ]);
  expect(problems[0]?.message).not.toMatch(/c2Vj|second/);
});

test.each([
  ["an empty value", `KEY=${wrapped}\nEMPTY=\nWITH_LINE=\nlower=`, 4],
  ["values with padding", `KEY=${wrapped}=\nOTHER=c2VjcmV0IQ==`, 2],
  ["values with quotes", `KEY="a"\nOTHER='b'\nTHIRD="c d"`, 3],
  ["a value that only begins with a quote", `KEY="a\nOTHER=b`, 2],
])("%s is no such line", (_, text, count) => {
  const { entries, problems } = readEnvironment("secrets", text);
  expect(problems).toEqual([]);
  expect(Object.keys(entries ?? {})).toHaveLength(count);
});
