import { expect, test, vi } from "vitest";
import * as errors from "../../../core/client/errors.ts";

const notFound = (copy: typeof errors) =>
  new copy.NotFoundError({
    status: 404,
    method: "GET",
    path: "/",
    detail: "ID 1 not found",
    fromControlPlane: true,
  });

test("instanceof works across two copies of the module, for all superclasses and nothing else", async () => {
  vi.resetModules();
  const other: typeof errors = await import("../../../core/client/errors.ts");
  expect(other.NotFoundError).not.toBe(errors.NotFoundError);
  const error = notFound(other);
  for (const kind of [errors.NotFoundError, errors.ApiError, errors.GraphDeployError]) {
    expect(error instanceof kind).toBe(true);
  }
  for (const kind of [errors.ConflictError, errors.ConnectionError, errors.RolloutError]) {
    expect(error instanceof kind).toBe(false);
  }
  expect(errors.isGone(error, "1")).toBe(true);
});

test("a timeout is a connection error, and a superseded revision a rollout error", () => {
  expect(new errors.TimeoutError("late")).toBeInstanceOf(errors.ConnectionError);
  const options = { deploymentId: "d", revisionId: "r", status: "SKIPPED" };
  expect(new errors.Superseded("by another", options)).toBeInstanceOf(errors.RolloutError);
  expect(new errors.RolloutError("failed", options)).not.toBeInstanceOf(errors.Superseded);
});

test.each([undefined, null, "text", {}, new Error("other"), { name: "GraphDeployError" }])(
  "%o isn't one of our errors",
  (value) => {
    expect(value instanceof errors.GraphDeployError).toBe(false);
  },
);

test("every error has its class's name and keeps its cause", () => {
  const cause = new Error("cause");
  const error = new errors.ConfigError("wrong.", { hint: "Fix it.", cause });
  expect(error).toMatchObject({ name: "ConfigError", message: "wrong. Fix it.", hint: "Fix it.", cause });
  expect(error).toBeInstanceOf(Error);
});
