import { startDevServer } from "../../mock-server/dev-server.ts";
import { startMockServer } from "../../mock-server/server.ts";
import { code, page, table } from "./markdown.ts";

interface OpenApi {
  paths: Record<string, Record<string, { tags: string[]; summary: string; operationId: string; responses: object }>>;
}

/** The operations of both servers, from the OpenAPI descriptions that they generate from their routes. */
export async function operationsPages(): Promise<Map<string, string>> {
  await using mock = await startMockServer({ port: 0 });
  await using dev = await startDevServer(0);
  return new Map([
    [
      "docs/reference/control-plane-operations.md",
      operationsPage("Operations of the mock control plane", await descriptionOf(mock.url)),
    ],
    [
      "docs/reference/agent-server-operations.md",
      operationsPage("Operations of the agent server", await descriptionOf(dev.url)),
    ],
  ]);
}

async function descriptionOf(url: string): Promise<OpenApi> {
  const response = await fetch(`${url}/openapi.json`);
  return (await response.json()) as OpenApi;
}

function operationsPage(title: string, { paths }: OpenApi): string {
  const rows = new Map<string, string[][]>();
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { tags, summary, operationId, responses }] of Object.entries(methods)) {
      const [tag = ""] = tags;
      const row = [
        code(`${method.toUpperCase()} ${path}`),
        summary,
        code(operationId),
        Object.keys(responses).join(", "),
      ];
      rows.set(tag, [...(rows.get(tag) ?? []), row]);
    }
  }
  return page(
    title,
    "The operation is the name that faults and the journal of the mock server use. Parameters, bodies and responses are in the server's own `/docs` and `/openapi.json`.",
    ...[...rows].flatMap(([tag, entries]) => [
      `## ${tag}`,
      table(["request", "what it does", "operation", "statuses"], entries),
    ]),
  );
}
