import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import { agentServerRoutes } from "../../../mock-server/agent-server/agent-app.ts";
import { agentValidationStyle } from "../../../mock-server/agent-server/agent-route.ts";
import { inertParts as inertForAgents } from "../../../mock-server/agent-server/inert-parts.ts";
import { controlPlaneRoutes } from "../../../mock-server/control-plane/control-plane.ts";
import { inertParts as inertForControlPlanes, validationStyle } from "../../../mock-server/control-plane/route.ts";
import { devCommand } from "../../../mock-server/dev-command.ts";
import { inject } from "../../../mock-server/kit/http/inject.ts";
import { ignoredParts } from "../../../mock-server/kit/operation/ignored-parts.ts";
import type { Operation } from "../../../mock-server/kit/operation/operation.ts";
import { requestReader, type ValidationStyle } from "../../../mock-server/kit/operation/request-reader.ts";
import { mockCommand } from "../../../mock-server/mock-command.ts";
import { startMockServer } from "../../../mock-server/server.ts";
import { startAgent } from "../../kit/agent-server/agent.ts";
import { apiOf, githubBody, startForTest } from "../../kit/mock-server/api.ts";

// The servers honour, refuse, or warn about each parameter, field, flag and key by name. These tests fail for a new one
// until it is classified.

const id = "00000000-0000-4000-8000-000000000001";
const products = {
  "an agent server": { routes: agentServerRoutes as readonly Operation[], inert: inertForAgents },
  "the control plane": { routes: controlPlaneRoutes as readonly Operation[], inert: inertForControlPlanes },
};
type Product = keyof typeof products;

const styleOf = (product: Product, route: Operation): ValidationStyle =>
  product === "an agent server" ? agentValidationStyle(1024) : validationStyle(false, route as never);

/** A valid body for each operation that refuses an empty one. */
const bodies: Record<string, unknown> = {
  create_assistant: { graph_id: "agent" },
  prune_threads: { thread_ids: [] },
  patch_thread_state: { metadata: {} },
  post_thread_state_at_checkpoint: { checkpoint: {} },
  put_item: { namespace: ["a"], key: "k", value: {} },
  delete_item: { key: "k" },
  show_component: { name: "card" },
  create_deployment: githubBody(),
  create_listener: { compute_type: "k8s", compute_id: "c", compute_config: {} },
  create_oauth_provider: {
    provider_id: "p",
    name: "P",
    client_id: "c",
    auth_url: "https://a.example",
    token_url: "https://a.example",
  },
  create_mcp_oauth_provider: { provider_id: "p", name: "P", mcp_server_url: "https://a.example" },
  authenticate: { provider: "p", scopes: [] },
  oauth_callback: { code: "c", state: "s" },
  create_connection: { oauth_token_id: id },
  ...Object.fromEntries(
    agentServerRoutes
      .filter(({ id }) => /_run$|_run_batch$|create_cron$|_thread_cron$/.test(id) && !/join|cancel|get|delete/.test(id))
      .map(({ id }) => {
        const run = { assistant_id: "agent", ...(id.includes("cron") ? { schedule: "* * * * *" } : {}) };
        return [id, id === "create_run_batch" ? [run] : run];
      }),
  ),
};

/** How an operation treats a request, parsed as the servers parse it: its refusal, or the parts without effect. */
async function judge(product: Product, route: Operation, query: string, body: unknown): Promise<string> {
  const read = requestReader(route, styleOf(product, route));
  let said = "";
  await inject(
    async (context) => {
      context.params = Object.fromEntries(
        [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name as string, id]),
      );
      try {
        said = ignoredParts(route, await read(context), products[product].inert).join(" ");
      } catch (error) {
        said = `refused: ${JSON.stringify((error as { detail?: unknown }).detail ?? String(error))}`;
      }
      return { status: 200 };
    },
    { method: "POST", path: `/${query}`, body },
  );
  return said;
}

const required = (route: Operation) =>
  Object.entries(route.query ?? {})
    .filter(([, { schema }]) => !schema.safeParse(undefined).success)
    .map(([name]) => `${name}=${id}`);

test.each(Object.keys(products) as Product[])(
  "%s names every query parameter that it doesn't know",
  async (product) => {
    for (const route of products[product].routes) {
      const said = await judge(
        product,
        route,
        `?${[...required(route), "sellect=x"].join("&")}`,
        bodies[route.id] ?? {},
      );
      expect(said, route.id).toContain("sellect");
    }
  },
);

test.each(Object.keys(products) as Product[])("%s names every field that it doesn't know", async (product) => {
  for (const route of products[product].routes) {
    if (!route.body || route.body.isRaw) continue;
    const body = bodies[route.id] ?? {};
    const misspelt = Array.isArray(body) ? [{ ...body[0], metadatta: {} }] : { ...body, metadatta: {} };
    const query = required(route).length > 0 ? `?${required(route).join("&")}` : "";
    expect(await judge(product, route, query, body), route.id).toBe("");
    const said = await judge(product, route, query, misspelt);
    expect(said, route.id).toContain("metadatta");
    const knows = route.body.schema instanceof z.ZodObject && Object.hasOwn(route.body.schema.shape, "metadata");
    if (knows) expect(said, route.id).toContain('did you mean "metadata"');
  }
});

/** The texts of all other tests. */
const testTexts = (() => {
  const folder = fileURLToPath(new URL("../..", import.meta.url));
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return files
    .filter((file) => file.endsWith(".ts") && !file.endsWith("unknown-and-inert-parts.test.ts"))
    .map((file) => readFileSync(join(folder, file), "utf8"))
    .join("\n");
})();

const isTested = (name: string) => new RegExp(`\\b${name}\\b`).test(testTexts);

test.each(Object.keys(products) as Product[])(
  "each parameter and field of %s is in a test or causes a warning",
  (product) => {
    const { routes, inert } = products[product];
    const names = new Set(
      routes.flatMap(({ query = {}, body }) => [
        ...Object.keys(query),
        ...(body?.schema instanceof z.ZodObject ? Object.keys(body.schema.shape) : []),
      ]),
    );
    const warned = new Set(inert.map(({ name }) => name));
    expect([...names].filter((name) => !warned.has(name) && !isTested(name))).toEqual([]);
  },
);

test.each([
  ["feedback_keys", "create_run", { assistant_id: "agent", feedback_keys: ["a"] }],
  ["checkpoint_during", "create_run", { assistant_id: "agent", checkpoint_during: true }],
  ["lifecycle", "stream_run", { assistant_id: "agent", stream_mode: ["values", "lifecycle"] }],
  ["index", "put_item", { namespace: ["a"], key: "k", value: {}, index: ["text"] }],
])("%s of %s has no effect and causes a warning", async (name, operation, body) => {
  const route = agentServerRoutes.find((one) => one.id === operation) as unknown as Operation;
  expect(await judge("an agent server", route, "", body)).toContain(name);
});

test.each([
  ["tracked_packages", "patch_deployment", { tracked_packages: ["langgraph"] }],
  [
    "use_agent_builder_public_oauth",
    "authenticate",
    { provider: "p", scopes: [], use_agent_builder_public_oauth: true },
  ],
])("%s of %s has no effect and causes a warning", async (name, operation, body) => {
  const route = controlPlaneRoutes.find((one) => one.id === operation) as unknown as Operation;
  expect(await judge("the control plane", route, "", body)).toContain(name);
});

test("an agent server warns about each name once, in its log", async () => {
  const lines: string[] = [];
  await using agent = await startAgent({ onLog: ({ level, message }) => level === "WARNING" && lines.push(message) });
  const body = { assistant_id: "agent", inputs: {}, feedback_keys: ["a"], input: { messages: [] } };
  for (let round = 0; round < 3; round++) await agent.call("POST", "/runs/wait?sellect=x", body);
  expect(lines).toEqual([
    "query.sellect is unknown to wait_stateless_run and has no effect.",
    'body.inputs is unknown to wait_stateless_run and has no effect; did you mean "input".',
    expect.stringMatching(/^feedback_keys of wait_stateless_run has no effect: /),
  ]);
});

test("a mock server reports each unknown name once to onWarning, without secrets", async () => {
  await using mock = await startForTest({ apiKeys: { "s3cret-key": ["one"] } });
  const key = { "x-api-key": "s3cret-key" };
  for (let round = 0; round < 3; round++) {
    await mock.cloud(
      "POST",
      "/v2/deployments",
      githubBody({ name: `agent-${round}`, "s3cret-key": 1, sercets: [] }),
      key,
    );
  }
  expect(mock.warnings).toEqual([
    expect.stringMatching(/^body\.\[?redacted\]? is unknown to create_deployment/),
    'body.sercets is unknown to create_deployment and has no effect; did you mean "secrets".',
  ]);
});

test("a mock server warns on stderr by default", async () => {
  const printed = vi.spyOn(console, "warn").mockImplementation(() => undefined);
  await using mock = await startMockServer({ port: 0 });
  await apiOf(mock.url)("POST", "/v2/deployments", githubBody({ sercets: [] }));
  expect(printed.mock.calls).toEqual([[expect.stringMatching(/^warning: body\.sercets /)]]);
  printed.mockRestore();
});

test("a name with terminal control sequences or of excessive length is printed as plain text and truncated", async () => {
  const route = agentServerRoutes.find((one) => one.id === "create_thread") as unknown as Operation;
  const said = await judge("an agent server", route, "", { [`\u001b[2J${"x".repeat(500)}`]: 1 });
  expect(said).toMatch(/^body\.\?\[2Jx{80,115} is unknown/);
});

test("parameters that proxies add to a listing aren't filters, and an unknown filter is refused with a suggestion", async () => {
  await using mock = await startForTest();
  for (const added of ["_=1732870000", "_t=1", "utm_source=mail", "cachebuster=1"]) {
    expect((await mock.cloud("GET", `/v2/deployments?${added}`)).status).toBe(200);
  }
  const { status, body } = await mock.cloud("GET", "/v2/deployments?name_contain=agent");
  expect({ status, msg: body.detail[0].msg }).toEqual({
    status: 422,
    msg: 'Extra inputs are not permitted; did you mean "name_contains"',
  });
});

test.each([
  ["a seed", "/_mock/seed", { deploymnets: [] }, "deployments"],
  [
    "a deployment of a seed",
    "/_mock/seed",
    { deployments: [{ name: "a", source: "internal_source", secret: [] }] },
    "secrets",
  ],
  [
    "a source of a seed",
    "/_mock/seed",
    { deployments: [{ name: "a", source: "internal_source", source_config: { repo_ulr: "x" } }] },
    "repo_url",
  ],
  ["a fault rule", "/_mock/faults", [{ mtach: {}, effect: { status: 500 } }], "match"],
  ["a fault's match", "/_mock/faults", [{ match: { operaton: "x" }, effect: { status: 500 } }], "operation"],
  ["a fault's effect", "/_mock/faults", [{ effect: { status: 500, boddy: {} } }], "body"],
  ["a push", "/_mock/push", { repo_url: "https://a.example/b", ref: "main", comit: "c" }, "commit"],
])("%s with an unknown key is refused with a suggestion", async (_, path, body, meant) => {
  await using mock = await startForTest();
  const response = await mock.cloud("POST", path, body);
  expect(response.status).toBe(422);
  expect(JSON.stringify(response.body)).toContain(`did you mean \\"${meant}\\"`);
});

test.each([
  [{ rulez: [] }, "rules"],
  [{ rules: [{ name: "*", fial: "BUILD_FAILED" }] }, "fail"],
  [{ rules: [{ name: "*", durations: { BULDING: "5s" } }] }, "BUILDING"],
])("transitions with an unknown key are refused with a suggestion: %j", async (settings, meant) => {
  await using mock = await startForTest();
  const response = await mock.cloud("PUT", "/_mock/transitions", settings);
  expect(response.status).toBe(422);
  expect(JSON.stringify(response.body)).toContain(`did you mean \\"${meant}\\"`);
});

test("an unknown option of a mock server is refused with a suggestion", async () => {
  await expect(startMockServer({ prot: 0 } as object)).rejects.toThrow('no option "prot"; did you mean "port"');
});

const docs = readFileSync(new URL("../../../docs/reference/command-line.md", import.meta.url), "utf8");

test.each(
  [mockCommand(() => undefined), devCommand(() => undefined)].flatMap((command) =>
    command.options.map(({ long = "" }) => [command.name(), long.replace(/^--no-/, "--"), long] as const),
  ),
)("the flag %s %s is in a test, and in the docs", (_, __, long) => {
  expect([docs.includes(long), testTexts.includes(long)]).toEqual([true, true]);
});
