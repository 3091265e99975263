import { expect, test } from "vitest";
import { createIdSource, uuidFrom } from "../../../mock-server/kit/ids.ts";

const version4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test("random identifiers are UUIDs of version 4, and no two are the same", () => {
  const { uuid } = createIdSource();
  const drawn = Array.from({ length: 1000 }, uuid);
  for (const id of drawn) expect(id).toMatch(version4);
  expect(new Set(drawn).size).toBe(1000);
});

test("a UUID has the given bytes, except for version and variant", () => {
  const bytes = Buffer.from("00112233445566778899aabbccddeeff", "hex");
  expect(uuidFrom(bytes)).toBe("00112233-4455-4677-8899-aabbccddeeff");
  expect(bytes.toString("hex")).toBe("00112233445566778899aabbccddeeff");
});

test("a seed makes the same identifiers every time", () => {
  const [one, same, other] = [createIdSource(7), createIdSource(7), createIdSource(8)];
  const drawn = [one.uuid(), one.uuid()];
  expect(drawn).toEqual([same.uuid(), same.uuid()]);
  expect(drawn[0]).toMatch(version4);
  expect(other.uuid()).not.toBe(drawn[0]);
});

test("identifiers that can't be reserved aren't used", () => {
  let isFull = true;
  const { uuid } = createIdSource(7, {
    start: 0,
    reserve() {
      if (isFull) throw new Error("The disk is full.");
      return true;
    },
  });
  for (let count = 0; count < 3; count++) expect(uuid).toThrow("The disk is full.");
  isFull = false;
  expect(uuid()).toBe(createIdSource(7).uuid());
});
