import { expect, test } from "vitest";
import { Journal, type JournalEntry } from "../../../mock-server/journal/journal.ts";
import { Redaction } from "../../../mock-server/kit/redaction.ts";

const entry = (number: number): JournalEntry => ({
  id: String(number),
  time: 0,
  method: "POST",
  path: `/v2/deployments?number=${number}`,
  operation: null,
  tenant: null,
  status: 201,
  requestHeaders: [],
  requestBody: "x".repeat(60),
  responseHeaders: {},
  responseBody: "y".repeat(40),
});

test("the journal drops the oldest requests when the bodies exceed its limit", () => {
  const journal = new Journal(new Redaction(), { requests: 1000, characters: 350 });
  for (let number = 0; number < 500; number++) journal.add(entry(number));
  expect(journal.read().map(({ id }) => id)).toEqual(["497", "498", "499"]);
  expect(journal.count().total).toBe(3);
});

test("the last request is kept, however long it is", () => {
  const journal = new Journal(new Redaction(), { requests: 1000, characters: 50 });
  journal.add(entry(1));
  journal.add(entry(2));
  expect(journal.read().map(({ id }) => id)).toEqual(["2"]);
});
