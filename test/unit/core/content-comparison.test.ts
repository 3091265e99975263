import { expect, test } from "vitest";
import { uuidOfName } from "../../../core/client/wire/agent-server.ts";
import { contentMarker, differingFields, fieldsOfCron, patchOf } from "../../../core/reconcile/content-comparison.ts";

test("undeclared fields and the server's additions to a config aren't drift", () => {
  const observed = {
    graph_id: "support",
    name: "friendly",
    description: "Set elsewhere",
    config: { tags: ["a"], configurable: { tone: "friendly" } },
    context: { tone: "friendly" },
    metadata: { ...contentMarker("friendly"), team: "support" },
    version: 4,
  };
  const declared = { graph_id: "support", metadata: contentMarker("friendly") };
  expect(differingFields(declared, observed)).toEqual([]);
  expect(differingFields({ config: { tags: ["a"] }, context: { tone: "friendly" } }, observed)).toEqual([]);
  expect(differingFields({ config: { tags: ["a"] } }, observed)).toEqual([]);
  expect(differingFields({ config: { tags: ["a"], configurable: { tone: "friendly" } } }, observed)).toEqual([]);
});

test("every declared field that differs is named, including parts of a map that are no longer declared", () => {
  const observed = {
    graph_id: "support",
    description: null,
    config: { tags: ["a"], configurable: { model: "small", temperature: 1 } },
    context: { tone: "friendly", more: { deep: [1, 2] } },
    metadata: { team: "support" },
  };
  const declared = {
    graph_id: "search",
    description: "Hello",
    config: { tags: ["a"], configurable: { model: "small" } },
    context: { tone: "friendly", more: { deep: [2, 1] } },
    metadata: { team: "sales" },
  };
  expect(differingFields(declared, observed)).toEqual(Object.keys(declared));
  expect(differingFields({ config: { configurable: { model: "small", temperature: 1 } } }, observed)).toEqual([
    "config",
  ]);
});

test("a cron is compared with the server's payload and its other fields", () => {
  const cron = {
    cron_id: "1efc2c1d-0000-6000-8000-000000000001",
    created_at: "2026-11-01T12:00:00Z",
    schedule: "0 3 * * *",
    timezone: null,
    end_time: "2027-01-01T00:00:00+00:00",
    enabled: true,
    payload: {
      schedule: "0 2 * * *",
      input: { task: "digest" },
      stream_mode: ["values"],
      config: { configurable: { cron_id: "1efc2c1d-0000-6000-8000-000000000001" } },
    },
  };
  const observed = fieldsOfCron(cron);
  const declared = {
    schedule: "0 3 * * *",
    end_time: "2027-01-01T01:00:00+01:00",
    enabled: true,
    input: { task: "digest" },
    stream_mode: "values",
    config: {},
  };
  expect(differingFields(declared, observed)).toEqual([]);
  const changed = { ...declared, timezone: "Europe/Berlin", end_time: "2027-01-01T01:00:00Z", enabled: false };
  expect(differingFields(changed, observed)).toEqual(["end_time", "enabled", "timezone"]);
});

test("a patch carries what differs, and the config with the context, since servers derive one from the other", () => {
  const declared = {
    graph_id: "support",
    config: { tags: ["a"] },
    context: { tone: "formal" },
    metadata: { team: "a" },
  };
  expect(patchOf(declared, ["metadata"])).toEqual({ metadata: { team: "a" } });
  expect(patchOf(declared, ["context"])).toEqual({ config: { tags: ["a"] }, context: { tone: "formal" } });
});

test("the name of a graph gives the id of its default assistant", () => {
  expect(uuidOfName("agent")).toBe("fe096781-5601-53d2-b2f6-0d3403f7e9ca");
});
