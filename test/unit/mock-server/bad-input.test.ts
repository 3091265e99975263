import { expect, test } from "vitest";
import { apiOf, githubBody, startForTest } from "../../kit/mock-server/api.ts";

// Covers the whole OpenAPI document, so that new operations are included.

type Json = Record<string, unknown>;
interface Operation {
  method: string;
  path: string;
  body: Json | undefined;
}

const methods = ["get", "post", "put", "patch", "delete"];

async function operationsOf(url: string): Promise<Operation[]> {
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as Json;
  const resolve = (schema: Json): Json => {
    const reference = schema.$ref as string | undefined;
    if (reference === undefined) return schema;
    const { schemas } = document.components as { schemas: Record<string, Json> };
    return schemas[reference.split("/").at(-1) as string] as Json;
  };
  return Object.entries(document.paths as Record<string, Json>).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => methods.includes(method))
      .map(([method, value]) => {
        const operation = value as {
          requestBody?: { content: Record<string, { schema: Json }> };
        };
        const schema = operation.requestBody?.content["application/json"]?.schema;
        const body = schema && (resolve(schema).properties as Json | undefined);
        return { method: method.toUpperCase(), path, body };
      }),
  );
}

const id = "00000000-0000-4000-8000-00000000dead";
const filled = (path: string, value = id) => path.replaceAll(/\{[^}]+\}/g, encodeURIComponent(value));

test("no invalid, long or repeated field of any operation causes a server error", async () => {
  await using mock = await startForTest();
  const call = apiOf(mock.url);
  const failed: string[] = [];
  const operations = await operationsOf(mock.url);
  expect(operations.length).toBeGreaterThanOrEqual(39);
  expect(operations.filter(({ body }) => body !== undefined).length).toBeGreaterThan(10);
  for (const { method, path, body } of operations) {
    const bodies = Object.keys(body ?? {}).flatMap((name) => [
      ...[null, true, -1, 1e308, "", "x".repeat(20_000), [], {}, [[[]]]].map((value) =>
        JSON.stringify({ [name]: value }),
      ),
      `{"${name}": 1, "${name}": "twice"}`,
    ]);
    const shapes =
      body === undefined ? [] : ["", "null", "[]", "7", '"text"', "{", "{}", '{"extra": {"__proto__": 1}}'];
    for (const sent of method === "GET" ? [undefined] : [undefined, ...shapes, ...bodies]) {
      const { status } = await call(method, filled(path), sent);
      if (status >= 500) failed.push(`${method} ${path} ${sent?.slice(0, 80)}: ${status}`);
    }
  }
  expect(failed).toEqual([]);
});

test("no identifier in any path causes a server error", async () => {
  await using mock = await startForTest();
  const call = apiOf(mock.url);
  const failed: string[] = [];
  for (const { method, path } of await operationsOf(mock.url)) {
    for (const value of ["..", "../../etc/passwd", "\u0000", "%", "x".repeat(5_000), "'; drop table", "__proto__"]) {
      const { status } = await call(method, filled(path, value), method === "GET" ? undefined : {});
      if (status >= 500) failed.push(`${method} ${path} ${value.slice(0, 20)}: ${status}`);
    }
  }
  expect(failed).toEqual([]);
});

test("every operation on a deployment responds with 404 in another workspace, and with 401 without a key", async () => {
  await using mock = await startForTest();
  const { body: deployment } = await mock.cloud("POST", "/v2/deployments", githubBody());
  const call = apiOf(mock.url);
  const statusesOf: Record<string, number[]> = {};
  for (const { method, path } of await operationsOf(mock.url)) {
    if (!path.includes("{deployment_id}")) continue;
    const real = path.replace("{deployment_id}", deployment.id).replace("{revision_id}", deployment.latest_revision_id);
    const sent = method === "GET" || method === "DELETE" ? undefined : {};
    const foreign = await call(method, real, sent, { "x-tenant-id": "11111111-1111-4111-8111-111111111111" });
    const keyless = await call(method, real, sent, { "x-api-key": "" });
    statusesOf[`${method} ${path}`] = [foreign.status, keyless.status];
  }
  expect(Object.keys(statusesOf).length).toBeGreaterThan(10);
  expect(Object.entries(statusesOf).filter(([, statuses]) => String(statuses) !== "404,401")).toEqual([]);
  expect((await mock.cloud("GET", `/v2/deployments/${deployment.id}`)).status).toBe(200);
});
