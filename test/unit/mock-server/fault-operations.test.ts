import { expect, test } from "vitest";
import { startForTest } from "../../kit/mock-server/api.ts";

test("a fault for an unknown operation is refused with a suggestion", async () => {
  await using mock = await startForTest();
  const effect = { status: 503 };
  const { status, body } = await mock.cloud("POST", "/_mock/faults", [
    { match: { operation: "get_revisions" }, effect },
  ]);
  expect(status).toBe(400);
  expect(body.detail).toBe('Fault rule 1: there is no operation "get_revisions": "get_revision" is probably meant.');
  expect(() => mock.faults.add({ match: { operation: "createDeployment" }, effect })).toThrow(
    'Fault rule 1: there is no operation "createDeployment": "create_deployment" is probably meant.',
  );
  expect(() => mock.faults.add({ effect }, { match: { operation: "x" }, effect })).toThrow(
    /there is no operation "x": the API reference/,
  );
  expect(mock.faults.list()).toEqual([]);
  mock.faults.add({ match: { operation: "upload_source" }, effect }, { match: { operation: "get_revision" }, effect });
});
