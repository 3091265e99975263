import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { isStudioUser } from "../../mock-server/index.ts";
import { filterMistake, passesFilter } from "../../mock-server/kit/metadata-filter.ts";
import { exportedAuth } from "../../mock-server/worker/inside/exported-auth.ts";

test("a filter asks for equality, also with what counts as false, and for elements of lists", () => {
  expect(passesFilter({ owner: "ann" }, { owner: "ann" })).toBe(true);
  expect(passesFilter({ owner: "ann", team: "red" }, { owner: "ann", team: "blue" })).toBe(false);
  expect(passesFilter({ level: { $eq: 0 } }, { level: 1 })).toBe(false);
  expect(passesFilter({ level: { $eq: 0 } }, { level: 0 })).toBe(true);
  expect(passesFilter({ tags: { $contains: ["a", "b"] } }, { tags: ["b", "c", "a"] })).toBe(true);
  expect(passesFilter({ tags: { $contains: "a" } }, { tags: "abc" })).toBe(false);
  expect(passesFilter({ constructor: { $eq: Object } }, {})).toBe(false);
});

test("a filter that can't be understood is a mistake, not a permission", () => {
  expect(filterMistake({ owner: { $eq: "ann" } })).toBe(undefined);
  expect(filterMistake({ owner: undefined })).toBe('the filter\'s "owner" is undefined');
  expect(filterMistake({ owner: { $or: [] } })).toContain("neither $eq nor $contains");
});

test("the handlers in the documentation do what it says", async () => {
  const text = await readFile(new URL("../../docs/agent-server.md", import.meta.url), "utf8");
  const [, example = ""] = /```ts\n(export const auth = [\s\S]*?)```/.exec(text) ?? [];
  const folder = await mkdtemp(join(tmpdir(), "auth-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "auth.ts"), example);
  const { auth } = await import(/* @vite-ignore */ pathToFileURL(join(folder, "auth.ts")).href);
  const handlers = exportedAuth(auth);
  const request = { method: "GET", url: "http://localhost/threads" };
  expect(await handlers.authenticate({ ...request, headers: [] })).toEqual({
    kind: "refused",
    status: 401,
    detail: "Say who you are",
    headers: {},
  });
  const user = { identity: "ann", permissions: [], is_authenticated: true, display_name: "ann" };
  expect(await handlers.authenticate({ ...request, headers: [["x-user", "ann"]] })).toEqual({
    kind: "done",
    result: user,
  });
  expect(await handlers.authorize({ resource: "assistants", action: "read", value: {}, user })).toEqual({
    kind: "done",
    result: { value: {}, filter: { owner: "ann" } },
  });
  expect(isStudioUser(user)).toBe(false);
});
