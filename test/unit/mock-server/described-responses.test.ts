import { expect, test } from "vitest";
import { agentServerRoutes } from "../../../mock-server/agent-server/agent-app.ts";
import { agentDocument } from "../../../mock-server/agent-server/agent-route.ts";
import { controlPlaneDocument } from "../../../mock-server/control-plane/control-plane.ts";
import { type Api, apiOf, startForTest } from "../../kit/mock-server/api.ts";

/** An operation in an OpenAPI description. */
interface Described {
  method: string;
  path: string;
  parameters: { name: string; in: string }[];
  requestBody?: object;
  responses: Record<string, object>;
}

function operationsOf(document: object): Described[] {
  const { paths } = document as { paths: Record<string, Record<string, Partial<Described>>> };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [], responses = {}, ...rest }]) => ({
      ...rest,
      method: method.toUpperCase(),
      path,
      parameters,
      responses,
    })),
  );
}

const documents = {
  "the control plane": controlPlaneDocument(),
  "an agent server": agentDocument(agentServerRoutes, true),
};
const products = Object.keys(documents) as (keyof typeof documents)[];
/** A long wait, which needs a client with a longer timeout. */
const unhurried = /\/auth\/wait\//;
const unknownId = "00000000-0000-4000-8000-00000000ffff";

/** Both servers. The agent server is that of a deployment on the control plane. */
async function startBoth() {
  const mock = await startForTest();
  const { deployments } = await mock.seed({ deployments: [{ name: "a", source: "internal_source" }] });
  const apis: Record<keyof typeof documents, Api> = {
    "the control plane": mock.cloud,
    "an agent server": apiOf(`${mock.url}/agents/${deployments[0]?.id}`),
  };
  return { apis, [Symbol.asyncDispose]: () => mock[Symbol.asyncDispose]() };
}

test.each(products)("%s describes the response to an invalid parameter or body of every operation", (product) => {
  for (const operation of operationsOf(documents[product])) {
    const statuses = Object.keys(operation.responses);
    const name = `${operation.method} ${operation.path}`;
    // A body with a protocol of its own has that protocol's errors.
    const hasProtocol = operation.path === "/mcp/" || operation.path === "/a2a/{assistant_id}";
    const refusals = hasProtocol ? ["400", "413"] : ["400", "413", "422"];
    if (operation.requestBody) expect([name, statuses]).toEqual([name, expect.arrayContaining(refusals)]);
    if (operation.parameters.some((parameter) => parameter.in === "query"))
      expect([name, statuses]).toEqual([name, expect.arrayContaining(["422"])]);
  }
});

test.each(products)("%s describes the responses common to all operations once", (product) => {
  const { description } = documents[product].info as { description: string };
  for (const status of ["401", "403", "405", "500", "507"]) expect(description).toContain(status);
});

/** Client errors that any operation may receive. */
const mistakes: [name: string, query: string, body: string | Uint8Array][] = [
  ["a body that isn't UTF-8", "", new Uint8Array([0xff])],
  ["a body that isn't JSON", "", "{"],
  ["a body of another type", "", "[7]"],
  ["a body that is too large", "", `"${"x".repeat(17 * 1024 * 1024)}"`],
  ["ids that nothing has", "", "{}"],
  ["parameters of another type", "?limit=x&wait=x&subgraphs=x&version=x&timeout=x&recurse=x&check_db=x", "{}"],
];

test.each(mistakes)("the response to %s is described for every operation", async (_, query, body) => {
  await using servers = await startBoth();
  for (const product of products) {
    for (const { method, path, requestBody, responses, parameters } of operationsOf(documents[product])) {
      if (unhurried.test(path)) continue;
      const known = new Set(parameters.map((parameter) => parameter.name));
      const knownParameters = [...new URLSearchParams(query)].filter(([parameter]) => known.has(parameter));
      const address =
        path.replace(/\{\w+\}/g, unknownId) +
        (knownParameters.length > 0 ? `?${new URLSearchParams(knownParameters)}` : "");
      const sent = requestBody ? body : undefined;
      const { status } = await servers.apis[product](method, address, sent);
      expect([`${method} ${path}`, Object.keys(responses)]).toEqual([
        `${method} ${path}`,
        expect.arrayContaining([String(status)]),
      ]);
    }
  }
});
