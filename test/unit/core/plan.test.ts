import { expect, test } from "vitest";
import { ConfigError } from "../../../core/client/errors.ts";
import type { Deployment, DeploymentPatchRequest } from "../../../core/client/wire/deployments.ts";
import type { DesiredDeployment } from "../../../core/declare/deployment.ts";
import { type Plan, type PlanOptions, planDeployment, planUpdate } from "../../../core/reconcile/plan.ts";
import { declaration, deployment } from "../../kit/deployments.ts";

const config = declaration().sourceConfig;
const revisionConfig = declaration().sourceRevisionConfig;
const markerEntry = { name: "GRAPHDEPLOY_MANAGED_BY", value: "acme/bot#a.yaml" };
const hidden = [{ name: "TOKEN", value: "********" }];

test.each<[string, Partial<DesiredDeployment>, Plan["action"], DeploymentPatchRequest | undefined]>([
  ["nothing", {}, "nothing", undefined],
  ["the name", { name: "other" }, "replace", undefined],
  ["the source", { source: "internal_source" }, "replace", undefined],
  ["the integration", { sourceConfig: { ...config, integrationId: "i2" } }, "replace", undefined],
  ["the repository", { sourceConfig: { ...config, repoUrl: "https://github.com/acme/x" } }, "replace", undefined],
  ["the type", { sourceConfig: { ...config, deploymentType: "prod" } }, "replace", undefined],
  ["the display name", { displayName: "Bot" }, "patch", { display_name: "Bot" }],
  [
    "build_on_push",
    { sourceConfig: { ...config, buildOnPush: true } },
    "patch",
    { source_config: { build_on_push: true } },
  ],
  [
    "the install command",
    { sourceConfig: { ...config, installCommand: "make" } },
    "revision",
    { source_config: { install_command: "make" } },
  ],
  [
    "the build command",
    { sourceConfig: { ...config, buildCommand: "make" } },
    "revision",
    { source_config: { build_command: "make" } },
  ],
  [
    "the ref",
    { sourceRevisionConfig: { ...revisionConfig, repoRef: "dev" } },
    "revision",
    { source_revision_config: { repo_ref: "dev" } },
  ],
  [
    "the config path",
    { sourceRevisionConfig: { ...revisionConfig, graphConfigPath: "b.json" } },
    "revision",
    { source_revision_config: { graph_config_path: "b.json" } },
  ],
  [
    "the tarball",
    { sourceRevisionConfig: { sourceTarballPath: "t" } },
    "revision",
    { source_revision_config: { source_tarball_path: "t" } },
  ],
  ["the environment", { env: { A: "1" } }, "revision", { secrets: [{ name: "A", value: "1" }] }],
  [
    "the references",
    { secretReferences: { A: { secretName: "s", secretKey: "k" } } },
    "revision",
    { secret_references: [{ name: "A", secret_name: "s", secret_key: "k" }] },
  ],
  [
    "the resource spec",
    { sourceConfig: { ...config, resourceSpec: { minScale: 2 } } },
    "revision",
    { source_config: { resource_spec: { min_scale: 2 } } },
  ],
  [
    "a field of each kind",
    { displayName: "Bot", sourceRevisionConfig: { ...revisionConfig, repoRef: "dev" } },
    "revision",
    { display_name: "Bot", source_revision_config: { repo_ref: "dev" } },
  ],
])("a change of %s is planned with exactly its patch", (_, changes, action, patch) => {
  const plan = planUpdate(declaration(changes), deployment());
  expect(plan.action).toBe(action);
  expect(plan.patch).toEqual(patch);
});

test.each<[string, Partial<DesiredDeployment>, Partial<Deployment>, PlanOptions]>([
  [
    "the same repository in another spelling",
    { sourceConfig: { repoUrl: "https://GitHub.com/acme/bot.git/" } },
    {},
    {},
  ],
  ["an immutable field that an older server doesn't send", {}, { source_config: {} }, {}],
  [
    "build_on_push false on a server that says null",
    { sourceConfig: { buildOnPush: false } },
    { source_config: { build_on_push: null } },
    {},
  ],
  ["an undeclared environment", {}, { secrets: [{ name: "A", value: "1" }] }, {}],
  ["masked values without a previous declaration", { secrets: { TOKEN: "x" } }, { secrets: hidden }, {}],
  [
    "masked values declared as before",
    { secrets: { TOKEN: "x" } },
    { secrets: hidden },
    { previous: declaration({ secrets: { TOKEN: "x" } }) },
  ],
  ["values that the server doesn't send at all", { secrets: { TOKEN: "x" } }, { secrets: null }, {}],
  [
    "a plain value that looks like a mask",
    { secrets: { TOKEN: "a***b" } },
    { secrets: [{ name: "TOKEN", value: "a***b" }] },
    { unreadable: "changed" },
  ],
  [
    "an empty value that is wanted empty",
    { env: { A: "" } },
    { secrets: [{ name: "A", value: "" }] },
    { unreadable: "changed" },
  ],
  [
    "the mark beside the declared environment",
    { env: { A: "1" } },
    { secrets: [{ name: "A", value: "1" }, markerEntry] },
    {},
  ],
  [
    "a resource spec that the server completed and rounded",
    { sourceConfig: { resourceSpec: { cpu: 0.25, minScale: 1 } } },
    { source_config: { resource_spec: { cpu: 0.3, min_scale: 1, max_scale: 10, labels: null } } },
    {},
  ],
])("%s isn't a change", (_, changes, observed, options) => {
  const plan = planUpdate(declaration(changes), deployment(observed), options);
  expect(plan).toEqual({ action: "nothing", changes: [], patch: undefined, droppedNames: [], marker: undefined });
});

test("a new value for a masked entry is a change that names the entry and shows no value", () => {
  const options = { previous: declaration({ secrets: { TOKEN: "old-value" } }) };
  const plan = planUpdate(declaration({ secrets: { TOKEN: "new-value" } }), deployment({ secrets: hidden }), options);
  expect(plan.changes).toEqual([
    { path: "secrets", effect: "revision", reason: "changes TOKEN; rolls out a new revision" },
  ]);
  expect(plan.patch?.secrets).toEqual([{ name: "TOKEN", value: "new-value" }]);
});

test("masked values without a previous one are sent if the options say so", () => {
  const plan = planUpdate(declaration({ secrets: { TOKEN: "x" } }), deployment({ secrets: hidden }), {
    unreadable: "changed",
  });
  expect(plan.action).toBe("revision");
});

test("a value that contains a word for hidden is an ordinary value", () => {
  const plan = planUpdate(
    declaration({ env: { MODE: "shown" } }),
    deployment({ secrets: [{ name: "MODE", value: "hidden" }] }),
  );
  expect(plan.action).toBe("revision");
});

const byHand = { name: "BY_HAND", value: "kept" };

test("a previously declared entry is dropped and named, an undeclared one is sent along", () => {
  const observed = deployment({
    secrets: [{ name: "OLD", value: "1" }, { name: "A", value: "1" }, byHand, markerEntry],
  });
  const previous = declaration({ env: { A: "1", OLD: "1" } });
  for (const options of [{ previous }, { droppable: ["OLD"] }]) {
    const plan = planUpdate(declaration({ env: { A: "1" } }), observed, options);
    expect(plan.droppedNames).toEqual(["OLD"]);
    expect(plan.patch?.secrets).toEqual([{ name: "A", value: "1" }, byHand, markerEntry]);
  }
  const replaced = planUpdate(declaration({ env: { A: "1" } }), observed, { droppable: "all" });
  expect(replaced.droppedNames).toEqual(["OLD", "BY_HAND"]);
});

test("removing the environment from the declaration drops its declared entries, and keeps the rest", () => {
  const observed = deployment({ secrets: [{ name: "OLD", value: "1" }, byHand] });
  const plan = planUpdate(declaration(), observed, { previous: declaration({ env: { OLD: "1" } }) });
  expect(plan.patch?.secrets).toEqual([byHand]);
});

test("an environment change that would lose values hidden by the platform is refused with their names", () => {
  const observed = deployment({
    secrets: [...hidden, { name: "BY_HAND", value: "****" }, { ...markerEntry, value: "****" }],
  });
  const change = () =>
    planUpdate(declaration({ secrets: { TOKEN: "new-value" } }), observed, {
      previous: declaration({ secrets: { TOKEN: "old-value" } }),
      marker: markerEntry.value,
    });
  expect(change).toThrow("entries that aren't declared here: BY_HAND.");
});

test("an empty value is an ordinary one if the platform shows other values", () => {
  const observed = deployment({
    secrets: [
      { name: "EMPTY", value: "" },
      { name: "A", value: "1" },
    ],
  });
  const plan = planUpdate(declaration({ env: { A: "2" } }), observed);
  expect(plan.patch?.secrets).toEqual([
    { name: "A", value: "2" },
    { name: "EMPTY", value: "" },
  ]);
});

test("a marker is written with the next revision, and on its own only in an adoption", () => {
  const observed = deployment({ secrets: [{ name: "A", value: "1" }, byHand] });
  const marker = markerEntry.value;
  expect(planUpdate(declaration({ env: { A: "1" } }), observed, { marker }).action).toBe("nothing");
  const entries = [{ name: "A", value: "1" }, byHand, markerEntry];
  const next = declaration({ env: { A: "1" }, sourceRevisionConfig: { repoRef: "next", graphConfigPath: "g.json" } });
  expect(planUpdate(next, observed, { marker }).patch?.secrets).toEqual(entries);
  const taken = planUpdate(declaration({ env: { A: "1" } }), observed, { marker, takesOver: "attempted" });
  expect(taken).toMatchObject({ patch: { secrets: entries }, marker });
  expect(taken.changes[0]?.reason).toBe("marks it as owned by acme/bot#a.yaml; rolls out a new revision");
});

test("a marker that would lose hidden values isn't written, and requiring it throws", () => {
  const observed = deployment({ secrets: [{ name: "BY_HAND", value: "****" }] });
  const marker = markerEntry.value;
  expect(planUpdate(declaration(), observed, { marker, takesOver: "attempted" })).toMatchObject({
    action: "nothing",
    marker: undefined,
  });
  expect(() => planUpdate(declaration(), observed, { marker, takesOver: "required" })).toThrow("BY_HAND");
});

test("an existing marker, even a masked one, changes nothing", () => {
  for (const value of [markerEntry.value, "****"]) {
    const observed = deployment({
      secrets: [
        { name: "A", value: "1" },
        { ...markerEntry, value },
      ],
    });
    expect(planUpdate(declaration({ env: { A: "1" } }), observed, { marker: markerEntry.value }).action).toBe(
      "nothing",
    );
  }
});

test.each<[string, DesiredDeployment, DesiredDeployment, Partial<Deployment>, string]>([
  ["a display name", declaration(), declaration({ displayName: "Bot" }), { display_name: "Bot" }, "displayName"],
  [
    "the last secret",
    declaration({ secrets: {} }),
    declaration({ secrets: { A: "1" } }),
    { secrets: [{ name: "A", value: "1" }] },
    "secrets",
  ],
  [
    "the whole environment",
    declaration(),
    declaration({ env: { A: "1" } }),
    { secrets: [{ name: "A", value: "1" }] },
    "secrets",
  ],
  [
    "the last reference",
    declaration(),
    declaration({ secretReferences: { A: { secretName: "s", secretKey: "k" } } }),
    {},
    "secretReferences",
  ],
])("the removal of %s is refused instead of reported as done", (_, desired, previous, observed, path) => {
  const plan = () => planUpdate(desired, deployment(observed), { previous });
  expect(plan).toThrow(ConfigError);
  expect(plan).toThrow(path);
});

test("an environment that is declared empty and replaced is refused while the platform has entries", () => {
  const observed = deployment({ secrets: [{ name: "A", value: "1" }] });
  expect(() => planUpdate(declaration({ env: {} }), observed, { droppable: "all" })).toThrow("the deployment has A");
});

test("with a marker, the environment can lose every other entry", () => {
  const observed = deployment({ secrets: [{ name: "A", value: "1" }, markerEntry] });
  expect(planUpdate(declaration({ env: {} }), observed, { droppable: ["A"] }).patch?.secrets).toEqual([markerEntry]);
});

test("references that are declared empty are refused while the platform has some", () => {
  const observed = deployment({ secret_references: [{ name: "A", secret_name: "s", secret_key: "k" }] });
  expect(() => planUpdate(declaration({ secretReferences: {} }), observed)).toThrow(ConfigError);
});

test("the resource spec carries over undeclared fields", () => {
  const observed = deployment({ source_config: { resource_spec: { min_scale: 1, max_scale: 5, memory_mb: 1024 } } });
  const desired = declaration({ sourceConfig: { ...config, resourceSpec: { minScale: 2 } } });
  expect(planUpdate(desired, observed).patch?.source_config?.resource_spec).toEqual({
    min_scale: 2,
    max_scale: 5,
    memory_mb: 1024,
  });
});

test("the resource spec drops fields that are no longer declared", () => {
  const observed = deployment({ source_config: { resource_spec: { min_scale: 1, max_scale: 5, memory_mb: 1024 } } });
  const previous = declaration({ sourceConfig: { ...config, resourceSpec: { minScale: 1, memoryMb: 1024 } } });
  const desired = declaration({ sourceConfig: { ...config, resourceSpec: { minScale: 1 } } });
  const plan = planUpdate(desired, observed, { previous });
  expect(plan.patch?.source_config?.resource_spec).toEqual({ min_scale: 1, max_scale: 5 });
});

test.each<[string, Partial<Deployment>, DeploymentPatchRequest]>([
  ["a repository by its ref", {}, { source_revision_config: { repo_ref: "main" } }],
  [
    "an image by its URI",
    { source_revision_config: { image_uri: "a:1" } },
    { source_revision_config: { image_uri: "a:1" } },
  ],
  [
    "anything else by its config path",
    { source_revision_config: { graph_config_path: "g.json" } },
    { source_revision_config: { graph_config_path: "g.json" } },
  ],
])("a redeployment requests %s again", (_, observed, patch) => {
  const plan = planUpdate({ name: "support-bot", source: "github" }, deployment(observed), { redeploy: "requested" });
  expect(plan.patch).toEqual(patch);
  expect(plan.changes).toEqual([{ path: "triggers", effect: "revision", reason: "requested" }]);
});

test("a redeployment adds nothing to a change that rolls out anyway", () => {
  const plan = planUpdate(declaration({ env: { A: "1" } }), deployment(), { redeploy: "requested" });
  expect(plan.patch).toEqual({ secrets: [{ name: "A", value: "1" }] });
});

test("a plan creates a missing deployment, deletes an undeclared one, and is empty otherwise", () => {
  const desired = declaration();
  const observed = deployment();
  expect(planDeployment(desired, undefined).action).toBe("create");
  expect(planDeployment(undefined, observed).action).toBe("delete");
  expect(planDeployment(undefined, undefined).action).toBe("nothing");
});
