import { expect, test } from "vitest";
import { Redactor, unprotectedReason, unprotectedWarning } from "../../../core/redact.ts";

const secret = 'p@ss "wörd"/1';

test.each<[string, string]>([
  ["plain", secret],
  ["as JSON", JSON.stringify({ v: secret })],
  ["as JSON in JSON", JSON.stringify(JSON.stringify({ v: secret }))],
  ["as JSON kept to ASCII", '{"v": "p@ss \\"w\\u00f6rd\\"/1"}'],
  ["in a URL", `https://host/?v=${encodeURIComponent(secret)}`],
  ["in a form", new URLSearchParams({ v: secret }).toString()],
  ["in base64", Buffer.from(secret).toString("base64")],
  ["in base64url", Buffer.from(secret).toString("base64url")],
  ["in a Basic header", Buffer.from(`user:${secret}`).toString("base64")],
  ["in base64 at the second position", Buffer.from(`a${secret}b`).toString("base64")],
  ["in base64 at the third position", Buffer.from(`ab${secret}cd`).toString("base64")],
])("a secret is removed %s", (_, text) => {
  expect(new Redactor([secret]).text(text)).toContain("[redacted]");
  expect(new Redactor([secret]).text(text)).not.toMatch(/p@ss|w\\?\S{1,6}rd|cEBzcy|BAc3M|QHNz/);
});

test("every line of a multi-line value is removed", () => {
  const redactor = new Redactor(["-----BEGIN-----\nMIIEvQ\n  abcdef\n-----END-----\n"]);
  expect(redactor.text("line: MIIEvQ, abcdef")).toBe("line: [redacted], [redacted]");
});

test("the longer of two overlapping values is removed whole", () => {
  expect(new Redactor(["token", "token-long"]).text("token-long token")).toBe("[redacted] [redacted]");
});

test.each([
  ["abc", "under 4 characters"],
  ["true", "a common word"],
  ["False", "a common word"],
  ["NULL", "a common word"],
  ["yes", "a common word"],
  ["no\n", "a common word"],
  ["8080", "a number under 6 digits"],
  ["-30.25", "a number under 6 digits"],
  ["     ", "under 4 characters"],
])("%j is reported instead of removed, as %s", (value, reason) => {
  const redactor = new Redactor([value]);
  expect(redactor.text(`-${value}-`)).toBe(`-${value}-`);
  expect(redactor.isUnprotected(value)).toBe(true);
  expect(unprotectedReason(value)).toBe(reason);
});

test.each(["abcd", "truest", "123456", "12345a", "1.23.45", "prod"])("%s is removed", (value) => {
  const redactor = new Redactor([value]);
  expect(redactor.text(`-${value}-`)).toBe("-[redacted]-");
  expect(redactor.isUnprotected(value)).toBe(false);
});

test("a common word on its own line of a multi-line value isn't redacted", () => {
  const redactor = new Redactor(["first-line\ntrue\n8080"]);
  expect(redactor.text("first-line true 8080")).toBe("[redacted] true 8080");
});

test("a warning names the unprotected secrets with the reasons, and none of the values", () => {
  const secrets = { PIN: "0815", FLAG: "true", EMPTY: "", TOKEN: "long-enough" };
  const warning = unprotectedWarning(secrets);
  expect(warning).toContain("PIN (a number under 6 digits), FLAG (a common word).");
  expect(warning).not.toMatch(/0815|true|EMPTY|TOKEN/);
  expect(unprotectedWarning({ TOKEN: "long-enough" })).toBeUndefined();
});

test("nothing is removed for an empty or a missing value", () => {
  expect(new Redactor(["", undefined]).text("nothing here")).toBe("nothing here");
});

test("values are removed anywhere in an object, also from its keys", () => {
  const redactor = new Redactor(["secret-value"]);
  const value = { list: ["a secret-value", 1, null], "secret-value": { deep: "secret-value" } };
  expect(redactor.deep(value)).toEqual({ list: ["a [redacted]", 1, null], "[redacted]": { deep: "[redacted]" } });
});

test("a value that isn't well-formed Unicode is removed too", () => {
  expect(new Redactor(["key\ud800key"]).text("key\ud800key")).toBe("[redacted]");
});

test("characters of regular expressions are matched literally", () => {
  expect(new Redactor(["a.*b[c](d)"]).text("a.*b[c](d) axxb")).toBe("[redacted] axxb");
});
