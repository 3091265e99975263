import { expect, test } from "vitest";
import { check } from "../../../provider/check.ts";
import type { DeploymentInputs } from "../../../provider/state.ts";
import { declaration } from "../../kit/deployments.ts";

const { sourceConfig } = declaration();
const connection = { apiKey: "any-key" };

function checked(inputs: object) {
  return check(undefined, { ...declaration(), connection, ...inputs } as DeploymentInputs, undefined);
}

test.each([
  ["secret", { secret: { KEY: "typo" } }, "Did you mean secrets?"],
  ["repoUrl", { repoUrl: "https://github.com/acme/bot" }, "It belongs to sourceConfig, as repoUrl."],
  ["repo_ref", { repo_ref: "main" }, "It belongs to sourceRevisionConfig, as repoRef."],
  ["k8sNamespace", { k8sNamespace: "agents" }, "It belongs to sourceConfig.listenerConfig, as k8sNamespace."],
  ["trigger", { trigger: ["hidden-value"] }, "Did you mean triggers?"],
  ["create", { create: "30m" }, "It belongs to timeouts, as create."],
  ["workspaceId", { workspaceId: "hidden-value" }, "It belongs to the Provider, as workspaceId."],
  ["colour", { colour: "hidden-value" }, "Check its spelling."],
])("the argument %s, which is no input, is refused with advice", (name, inputs, advice) => {
  expect(checked(inputs).failures).toEqual([
    { property: "", reason: `${name} is not an input of a deployment. ${advice}` },
  ]);
});

test.each([
  ["sourceConfig.repo_url", { sourceConfig: { ...sourceConfig, repo_url: "hidden" } }, "Did you mean repoUrl?"],
  [
    "sourceConfig.repoRef",
    { sourceConfig: { ...sourceConfig, repoRef: "hidden" } },
    "It belongs to sourceRevisionConfig, as repoRef.",
  ],
  ["sourceConfig.env", { sourceConfig: { ...sourceConfig, env: {} } }, "It belongs to the deployment itself, as env."],
])("the field %s, which is unknown there, is refused with advice", (property, inputs, advice) => {
  expect(checked(inputs).failures).toEqual([{ property, reason: `${property} is not a field here. ${advice}` }]);
});

test("an unknown argument of a Provider is refused", () => {
  expect(checked({ connection: { ...connection, workspace: "hidden", dialekt: "hidden" } }).failures).toEqual([
    {
      property: "connection.workspace",
      reason: "connection.workspace is not an argument of a Provider. Did you mean workspaceId?",
    },
    {
      property: "connection.dialekt",
      reason: "connection.dialekt is not an argument of a Provider. Did you mean dialect?",
    },
  ]);
});

test("what the platform may know, but is near a known name, is a warning and is passed on", () => {
  const resourceSpec = { minScal: 1, max_scal: 2, minScale: 1, sidecars: [] };
  const { inputs, failures, warnings } = checked({
    sourceConfig: { ...sourceConfig, deploymentType: "prodd", resourceSpec },
    secrets: { TOKEN: "" },
  });
  expect(failures).toEqual([]);
  expect(inputs.sourceConfig?.resourceSpec).toEqual(resourceSpec);
  expect(warnings).toEqual([
    "sourceConfig.deploymentType is none of the known ones, dev_free, dev, prod, dev_zero, dev_free_zero. It is passed on unchanged. Did you mean prod?",
    "sourceConfig.resourceSpec.minScal isn't a known field, and is passed on unchanged. Did you mean minScale?",
    "sourceConfig.resourceSpec.max_scal isn't a known field, and is passed on unchanged. Did you mean max_scale?",
    "secrets.TOKEN is empty, and replaces the value that the platform has. Leave it out if that isn't meant.",
  ]);
});
