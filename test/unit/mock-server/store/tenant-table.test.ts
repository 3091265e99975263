import { expect, test } from "vitest";
import type { ListenerRecord } from "../../../../mock-server/control-plane/store/records.ts";
import { TenantTable } from "../../../../mock-server/control-plane/store/tenant-table.ts";
import { storeInMemory } from "./builders.ts";

const fields: Omit<ListenerRecord, "id" | "tenantId"> = {
  version: null,
  computeType: "k8s",
  computeId: "cluster",
  namespaces: null,
  createdAt: 1,
  updatedAt: 1,
};

test("an owner reads, finds, removes and stores only its own records", async () => {
  const { listeners } = await storeInMemory();
  const one = new TenantTable(listeners, { tenantId: "one" });
  const two = new TenantTable(listeners, { tenantId: "two" });
  one.put({ ...fields, id: "first" });
  const foreign = { ...fields, id: "second", tenantId: "one" };
  expect(two.put(foreign).tenantId).toBe("two");
  expect([two.get("first"), one.get("second")]).toEqual([undefined, undefined]);
  expect(one.find({ computeId: "cluster" }).map(({ id }) => id)).toEqual(["first"]);
  expect(one.find({ tenantId: "two" }).map(({ id }) => id)).toEqual(["first"]);
  expect(two.hasAny({ id: "first" })).toBe(false);
  expect(two.page({ offset: 0, limit: 10 }).map(({ id }) => id)).toEqual(["second"]);
  two.remove("first");
  expect(listeners.all().map(({ id }) => id)).toEqual(["first", "second"]);
});
