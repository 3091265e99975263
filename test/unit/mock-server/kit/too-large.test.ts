import { expect, test } from "vitest";
import { runError } from "../../../../mock-server/agent-server/runs/live-run.ts";
import { errorResponses } from "../../../../mock-server/kit/http/errors.ts";
import { inject } from "../../../../mock-server/kit/http/inject.ts";
import { chain } from "../../../../mock-server/kit/http/middleware.ts";
import { Database } from "../../../../mock-server/kit/store/database.ts";

const piece = "x".repeat(16 * 1024 * 1024);
/** Exceeds the maximum length of a JavaScript string. */
const large = Array.from({ length: 40 }, () => piece);

const refusal = {
  status: 507,
  body: { detail: expect.stringMatching(/larger than the server can handle.*a smaller limit/) },
};

test.each([
  ["a response", () => ({ status: 200, body: large })],
  ["a value that is stored", () => ({ status: 200, body: JSON.stringify(large).length })],
  ["a text made of bytes", () => ({ status: 200, body: Buffer.alloc(600 * 1024 * 1024).toString("latin1") })],
])("%s larger than a string can be is refused with that reason, and isn't a defect", async (_, handle) => {
  const defects: unknown[] = [];
  const response = await inject(
    chain(
      errorResponses((error) => defects.push(error)),
      handle,
    ),
    { path: "/" },
  );
  expect({ status: response.status, body: await response.json() }).toEqual(refusal);
  expect(defects).toEqual([]);
});

test("a row larger than the database accepts is refused in the same way", async () => {
  const schema = { name: "large", migrations: ["CREATE TABLE large (value BLOB) STRICT"] };
  const database = await Database.inMemory([schema]);
  const handle = () => {
    database.run("INSERT INTO large VALUES (zeroblob(1000000001))");
    return { status: 200 };
  };
  const response = await inject(
    chain(
      errorResponses(() => undefined),
      handle,
    ),
    { path: "/" },
  );
  expect({ status: response.status, body: await response.json() }).toEqual(refusal);
});

test("a run whose state is too large fails with its own error name", () => {
  const attempt = () => {
    try {
      return JSON.stringify(large);
    } catch (error) {
      return runError(error);
    }
  };
  expect(attempt()).toEqual({ error: "StateTooLarge", message: expect.stringContaining("512 Mi characters") });
});
