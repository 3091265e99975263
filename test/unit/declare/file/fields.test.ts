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
