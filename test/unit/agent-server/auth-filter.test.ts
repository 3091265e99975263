import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { isStudioUser } from "../../../mock-server/index.ts";
import { filterProblem, passesFilter } from "../../../mock-server/kit/metadata-filter.ts";
import { exportedAuth } from "../../../mock-server/worker/inside/exported-auth.ts";
import { startAgent } from "../../kit/agent-server/agent.ts";

test("a filter tests equality, also with falsy values, and list elements", () => {
  expect(passesFilter({ owner: "ann" }, { owner: "ann" })).toBe(true);
  expect(passesFilter({ owner: "ann", team: "red" }, { owner: "ann", team: "blue" })).toBe(false);
  expect(passesFilter({ level: { $eq: 0 } }, { level: 1 })).toBe(false);
  expect(passesFilter({ level: { $eq: 0 } }, { level: 0 })).toBe(true);
  expect(passesFilter({ tags: { $contains: ["a", "b"] } }, { tags: ["b", "c", "a"] })).toBe(true);
  expect(passesFilter({ tags: { $contains: "a" } }, { tags: "abc" })).toBe(false);
  expect(passesFilter({ constructor: { $eq: Object } }, {})).toBe(false);
});

test("filters combine with $or and $and, also nested", () => {
  const mine = { $or: [{ owner: "ann" }, { $and: [{ team: "red" }, { readers: { $contains: "ann" } }] }] };
  expect(passesFilter(mine, { owner: "ann" })).toBe(true);
  expect(passesFilter(mine, { owner: "bob", team: "red", readers: ["ann"] })).toBe(true);
  expect(passesFilter(mine, { owner: "bob", team: "red", readers: [] })).toBe(false);
  expect(passesFilter({ ...mine, open: true }, { owner: "ann" })).toBe(false);
});

test("lists, searches and single reads support combined filters", async () => {
  const user = { identity: "ann", permissions: [], is_authenticated: true, display_name: "ann" };
  const filter = { $or: [{ owner: "ann" }, { shared: true }], $and: [{ kind: { $eq: "note" } }] };
  await using agent = await startAgent({
    auth: {
      admitsStudio: false,
      authenticate: async () => user,
      authorize: async ({ value, action }) => ({ value, filter: action === "create" ? null : filter }),
    },
  });
  const make = async (metadata: object) => (await agent.call("POST", "/threads", { metadata })).body.thread_id;
  const [own, shared, foreign] = [
    await make({ owner: "ann", kind: "note" }),
    await make({ owner: "bob", shared: true, kind: "note" }),
    await make({ owner: "bob", kind: "note" }),
  ];
  const other = await make({ owner: "ann", kind: "draft" });
  const { body } = await agent.call("POST", "/threads/search", { sort_order: "asc" });
  expect(body.map((thread: { thread_id: string }) => thread.thread_id)).toEqual([own, shared]);
  expect((await agent.call("POST", "/threads/count", {})).body).toBe(2);
  const statusOf = async (id: string) => (await agent.call("GET", `/threads/${id}`)).status;
  expect(await Promise.all([own, shared, foreign, other].map(statusOf))).toEqual([200, 200, 404, 404]);
});

test.each<[Record<string, unknown>, string]>([
  [{ $or: { owner: "ann" } }, "the filter's \"$or\" isn't a list of filters"],
  [{ $or: [] }, "the filter's \"$or\" isn't a list of filters"],
  [{ $and: ["ann"] }, "the filter's \"$and\" has what isn't a filter"],
  [{ $or: [{ owner: undefined }] }, 'the filter\'s "owner" is undefined'],
  [{ $not: { owner: "ann" } }, 'the filter has "$not", which is neither $or nor $and'],
  [{ since: new Date(0) }, "the filter's \"since\" isn't JSON, which is all that metadata can be"],
  [{ owner: { $eq: Number.NaN } }, "the filter's \"owner\" isn't JSON, which is all that metadata can be"],
])("a filter that nothing can match is refused: %o", (filter, mistake) => {
  expect(filterProblem(filter)).toBe(mistake);
});

test("an invalid filter is an error, not a permission", () => {
  expect(filterProblem({ owner: { $eq: "ann" } })).toBe(undefined);
  expect(filterProblem({ owner: undefined })).toBe('the filter\'s "owner" is undefined');
  expect(filterProblem({ owner: { $or: [] } })).toContain("neither $eq nor $contains");
});

test("the handlers in the documentation work as described", async () => {
  const text = await readFile(new URL("../../../docs/guides/agent-server.md", import.meta.url), "utf8");
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
