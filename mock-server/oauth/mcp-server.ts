import { z } from "zod";
import type { OAuthGrantRecord } from "../control-plane/store/auth-records.ts";
import { type HttpResponse, jsonResponse } from "../kit/http/http-response.ts";
import { parseJson } from "../kit/http/json.ts";
import type { RequestContext } from "../kit/http/request-context.ts";
import type { Endpoint, Router } from "../kit/http/router.ts";
import { grantOfAccessToken, issuerOf, type OAuthOptions } from "./oauth-model.ts";

const path = "/oauth/mcp";
const metadataPath = `/.well-known/oauth-protected-resource${path}`;

const message = z.looseObject({
  jsonrpc: z.literal("2.0"),
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string(),
  params: z.looseObject({}).optional(),
});

/**
 * Serves an MCP server (streamable HTTP, without streams) that needs a token of the built-in OAuth provider and has one
 * tool, `whoami`.
 */
export function serveMcp(router: Router<Endpoint>, options: OAuthOptions): void {
  const metadata = () =>
    jsonResponse(200, {
      resource: `${options.publicUrl()}${path}`,
      authorization_servers: [issuerOf(options)],
      bearer_methods_supported: ["header"],
    });
  const serve = async (context: RequestContext) => {
    const token = /^Bearer\s+(\S+)$/i.exec(context.header("authorization") ?? "")?.[1];
    const grant = token === undefined ? undefined : grantOfAccessToken(options, token);
    if (!grant) {
      const problem = token === undefined ? "" : `error="invalid_token", `;
      const challenge = `Bearer ${problem}resource_metadata="${options.publicUrl()}${metadataPath}"`;
      return jsonResponse(401, { detail: "A valid access token is missing." }, { "www-authenticate": challenge });
    }
    if (context.method !== "POST") {
      return jsonResponse(405, { detail: "Method Not Allowed" }, { allow: "POST" });
    }
    return respondTo(context, grant);
  };
  router.on("GET", metadataPath, { operation: null, handle: metadata });
  router.all(path, { operation: null, handle: serve });
}

async function respondTo(context: RequestContext, grant: OAuthGrantRecord): Promise<HttpResponse> {
  let input: unknown;
  try {
    input = parseJson(await context.readText());
  } catch {
    return jsonResponse(400, failure(null, -32700, "Parse error"));
  }
  const request = message.safeParse(input);
  if (!request.success) return jsonResponse(400, failure(null, -32600, "Invalid Request"));
  const { id, method, params } = request.data;
  if (id === undefined) return jsonResponse(202, undefined);
  const result = resultOf(method, params ?? {}, grant);
  return jsonResponse(
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
            description: "The user of the access token.",
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
