import { z } from "zod";
import type { Mock } from "../mock.ts";
import { readText } from "../openapi/request.ts";
import { sendJson } from "../openapi/response.ts";
import type { MockApp, MockRequest } from "../openapi/route.ts";
import type { OAuthGrantRecord } from "../state/auth-records.ts";
import { grantOfAccessToken, issuerOf } from "./oauth-model.ts";

const path = "/oauth/mcp";
const metadataPath = `/.well-known/oauth-protected-resource${path}`;

const message = z.looseObject({
  jsonrpc: z.literal("2.0"),
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string(),
  params: z.looseObject({}).optional(),
});

/** Serves an MCP server (streamable HTTP, no streams) that asks for a token of the built-in OAuth provider and has one tool, `whoami`. */
export function serveMcp(app: MockApp, mock: Mock): void {
  app.get(metadataPath, (context) =>
    sendJson(context, 200, {
      resource: `${mock.publicUrl()}${path}`,
      authorization_servers: [issuerOf(mock)],
      bearer_methods_supported: ["header"],
    }),
  );
  app.all(path, async (context) => {
    const token = /^Bearer\s+(\S+)$/i.exec(context.req.header("authorization") ?? "")?.[1];
    const grant = token === undefined ? undefined : await grantOfAccessToken(mock, token);
    if (!grant) {
      const problem = token === undefined ? "" : `error="invalid_token", `;
      const challenge = `Bearer ${problem}resource_metadata="${mock.publicUrl()}${metadataPath}"`;
      return sendJson(context, 401, { detail: "A valid access token is missing." }, { "www-authenticate": challenge });
    }
    if (context.req.method !== "POST") {
      return sendJson(context, 405, { detail: "Method Not Allowed" }, { allow: "POST" });
    }
    return answer(context, grant);
  });
}

async function answer(context: MockRequest, grant: OAuthGrantRecord): Promise<Response> {
  let input: unknown;
  try {
    input = JSON.parse(await readText(context));
  } catch {
    return sendJson(context, 400, failure(null, -32700, "Parse error"));
  }
  const request = message.safeParse(input);
  if (!request.success) return sendJson(context, 400, failure(null, -32600, "Invalid Request"));
  const { id, method, params } = request.data;
  if (id === undefined) return sendJson(context, 202, undefined);
  const result = resultOf(method, params ?? {}, grant);
  return sendJson(
    context,
    200,
    result === undefined ? failure(id, -32601, "Method not found") : { jsonrpc: "2.0", id, result },
  );
}

const failure = (id: string | number | null, code: number, text: string) => ({
  jsonrpc: "2.0",
  id,
  error: { code, message: text },
});

function resultOf(method: string, params: Record<string, unknown>, grant: OAuthGrantRecord): object | undefined {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: "2025-06-18",
        capabilities: { tools: {} },
        serverInfo: { name: "graphdeploy-mock", version: "0.1.0" },
      };
    case "ping":
      return {};
    case "tools/list":
      return {
        tools: [
          {
            name: "whoami",
            description: "Whom the access token is of.",
            inputSchema: { type: "object", properties: {} },
          },
        ],
      };
    case "tools/call":
      return params.name === "whoami" ? { content: [{ type: "text", text: grant.subject }] } : undefined;
    default:
      return undefined;
  }
}
