import { expect, test } from "vitest";
import { fields } from "../../../../core/declare/deployment.ts";
import {
  assistantSchema,
  cronSchema,
  declarativeFileJsonSchema,
  storeItemSchema,
} from "../../../../core/declare/file/schema.ts";
import { desiredFields } from "../../../../core/declare/validation.ts";
import { snakeCase } from "../../../../core/names.ts";
import { assistantCreate } from "../../../../mock-server/agent-server/assistants/assistant-schemas.ts";
import { cronCreate } from "../../../../mock-server/agent-server/crons/cron-schemas.ts";
import { storePut } from "../../../../mock-server/agent-server/store/store-schemas.ts";
import { read } from "./read.ts";

interface Properties {
  properties?: Record<string, Properties>;
}

const { $defs } = declarativeFileJsonSchema() as { $defs: { deployment: Properties } };

test("a deployment in a file has every field that the core can declare, under its wire name", () => {
  const paths = [...fields.map(({ path }) => path), ...desiredFields];
  const missing = paths.filter((path) => {
    const names = path.split(".").map(snakeCase);
    return (
      names.reduce<Properties | undefined>((part, name) => part?.properties?.[name], $defs.deployment) === undefined
    );
  });
  expect(missing).toEqual([]);
});

test("assistants, crons and store items have the fields of the requests that create them", () => {
  const keys = (schema: { shape: object }) => Object.keys(schema.shape).sort();
  // The file's key is an assistant's name, and whoever applies the file decides how to treat an existing one.
  expect([...keys(assistantSchema), "if_exists", "name"].sort()).toEqual(keys(assistantCreate));
  expect(keys(cronSchema)).toEqual(keys(cronCreate));
  expect(keys(storeItemSchema)).toEqual(keys(storePut));
});

test("what the platform may know, but is near a known name, is a warning at its key", () => {
  const { deployments, problems, warnings } = read(`version: 1
defaults:
  source: githbu
  source_revision_config: { repo_ref: main }
deployments:
  chat:
    source_config:
      deployment_type: prodd
      resource_spec: { minScal: 1, max_scal: 2, minScale: 1, sidecars: [] }
    secrets: { TOKEN: "" }
`);
  expect(problems).toEqual([]);
  expect(deployments[0]?.desired.sourceConfig?.resourceSpec).toEqual({
    minScal: 1,
    max_scal: 2,
    minScale: 1,
    sidecars: [],
  });
  expect(warnings.map(({ line, column, path, message }) => `${line}:${column} ${path}: ${message}`)).toEqual([
    "3:3 defaults.source: is none of the known ones, github, external_docker, internal_docker, internal_source. It is passed on unchanged. Did you mean github?",
    "8:7 deployments.chat.source_config.deployment_type: is none of the known ones, dev_free, dev, prod, dev_zero, dev_free_zero. It is passed on unchanged. Did you mean prod?",
    "9:24 deployments.chat.source_config.resource_spec.minScal: isn't a known field, and is passed on unchanged. Did you mean minScale?",
    "9:36 deployments.chat.source_config.resource_spec.max_scal: isn't a known field, and is passed on unchanged. Did you mean max_scale?",
    "10:16 deployments.chat.secrets.TOKEN: is empty, and replaces the value that the platform has. Leave it out if that isn't meant.",
  ]);
});
