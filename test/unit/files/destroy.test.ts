import { expect, test } from "vitest";
import { destroyFile, planDestroy } from "../../../core/reconcile/file/destroy.ts";
import { inDependencyOrder } from "../../../core/reconcile/file/schedule.ts";
import { agents, fileOf, resultsOf, startWorkspace } from "../../kit/files.ts";

const three = agents("  search: {}\n  support: { depends_on: [search] }\n  billing: {}");

test("a destroy deletes what the file owns, dependents first, and leaves everything else", async () => {
  await using workspace = await startWorkspace();
  const { client, options } = workspace;
  await workspace.apply(fileOf(three));
  const { deployments } = fileOf(agents("  search: {}\n  support: { depends_on: [search] }"));
  await workspace.createForeign();
  const plan = await planDestroy(client, deployments, options);
  expect(plan.owned.map(({ key }) => key)).toEqual(["billing", "support", "search"]);
  const order: string[] = [];
  const outcomes = await destroyFile(client, deployments, plan, {
    ...options,
    onOutcome: ({ key }) => order.push(key),
  });
  expect(resultsOf(outcomes)).toEqual(["billing: deleted", "support: deleted", "search: deleted"]);
  expect(order.indexOf("support")).toBeLessThan(order.indexOf("search"));
  expect((await client.deployments.list().all()).map(({ name }) => name)).toEqual(["somebody-elses"]);
});

test("another owner's declared deployment is named and stays unchanged, also if it was taken over in the meantime", async () => {
  await using workspace = await startWorkspace();
  const { client, options } = workspace;
  const file = fileOf(agents("  search: {}"));
  await workspace.apply(file);
  const plan = await planDestroy(client, file.deployments, options);
  const other = { ...options, owner: "acme/other#graphdeploy.yaml" };
  await workspace.apply(file, { ...other, adopt: true });
  const [outcome] = await destroyFile(client, file.deployments, plan, options);
  expect(outcome?.result).toBe("failed");
  expect(outcome?.error?.message).toContain("is owned by acme/other#graphdeploy.yaml:search, was taken over");
  const again = await planDestroy(client, file.deployments, options);
  expect(again.owned).toEqual([]);
  expect(again.left).toEqual([{ key: "search", reason: expect.stringContaining("is left alone") }]);
});

test("only the selected deployments are destroyed", async () => {
  await using workspace = await startWorkspace();
  const { client, options } = workspace;
  const { deployments } = fileOf(three);
  await workspace.apply(fileOf(three));
  const only = { ...options, only: ["billing"] };
  const plan = await planDestroy(client, deployments, only);
  expect(resultsOf(await destroyFile(client, deployments, plan, only))).toEqual(["billing: deleted"]);
  await expect(planDestroy(client, deployments, { ...options, only: ["nope"] })).rejects.toThrow(
    "only: the file has no deployment nope. It has search, support, billing.",
  );
});

test("a chain of thousands of dependent deployments is put in order", () => {
  const keys = Array.from({ length: 5_000 }, (_, index) => `a${index}`);
  const chain = keys.map((key, index) => ({ key, dependsOn: keys.slice(index + 1, index + 2) }));
  expect(inDependencyOrder(chain as never).map(({ key }) => key)).toEqual(keys.toReversed());
});
