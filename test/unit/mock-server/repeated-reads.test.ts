import { expect, test } from "vitest";
import { startMockServer } from "../../../mock-server/server.ts";
import { apiOf, githubBody } from "../../kit/mock-server/api.ts";

const body = (name: string) => githubBody({ name });

test("a status that is read again follows the clock, forwards and back", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "time:100s" });
  const start = Date.UTC(2026, 0, 1);
  mock.clock.freeze(start);
  const call = apiOf(mock.url);
  const { id, latest_revision_id: revisionId } = (await call("POST", "/v2/deployments", body("a"))).body;
  const statuses = async () => {
    const revision = await call("GET", `/v2/deployments/${id}/revisions/${revisionId}`);
    const page = await call("GET", "/v2/deployments");
    return [revision.body.status, page.body.resources[0].status, page.body.resources[0].active_revision_id];
  };
  expect(await statuses()).toEqual(["CREATING", "AWAITING_DATABASE", null]);
  expect(await statuses()).toEqual(["CREATING", "AWAITING_DATABASE", null]);
  mock.clock.advance("200s");
  expect(await statuses()).toEqual(["DEPLOYED", "READY", revisionId]);
  mock.clock.freeze(start);
  expect(await statuses()).toEqual(["CREATING", "AWAITING_DATABASE", null]);
});

test("a page that was read before shows later changes, additions and deletions", async () => {
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  const call = apiOf(mock.url);
  const { id } = (await call("POST", "/v2/deployments", body("a"))).body;
  await call("POST", "/v2/deployments", body("b"));
  const names = async () =>
    (await call("GET", "/v2/deployments")).body.resources.map(
      (one: { name: string; display_name: string | null }) => one.display_name ?? one.name,
    );
  expect(await names()).toEqual(["b", "a"]);
  await call("PATCH", `/v2/deployments/${id}`, { display_name: "changed" });
  expect(await names()).toEqual(["b", "changed"]);
  await call("POST", "/v2/deployments", body("c"));
  expect(await names()).toEqual(["c", "b", "changed"]);
  await call("DELETE", `/v2/deployments/${id}`);
  expect(await names()).toEqual(["c", "b"]);
});
