import { expect, test } from "vitest";
import { makeReference, outdatedPages } from "../../../scripts/reference.ts";

const reference = await makeReference();

test("the generated pages are up to date with the sources", async () => {
  expect(await outdatedPages(reference)).toEqual([]);
});

test("every type in a public signature is exported, and every link in a comment leads somewhere", () => {
  expect(reference.problems).toEqual([]);
});
