import { jsonResponse } from "../kit/http/http-response.ts";
import type { RequestContext } from "../kit/http/request-context.ts";
import type { Endpoint, Router } from "../kit/http/router.ts";
import { grantOfAccessToken, issuerOf, type OAuthOptions } from "./oauth-model.ts";

const path = "/oauth/mcp";
const metadataPath = `/.well-known/oauth-protected-resource${path}`;

/**
 * Serves an MCP server (streamable HTTP) that needs a token of the built-in OAuth provider and has one tool, `whoami`.
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
    const [{ respondAsMcpServer }, { createWhoamiServer }] = await Promise.all([
      import("../kit/mcp/streamable-http.ts"),
      import("./whoami-server.ts"),
    ]);
    return respondAsMcpServer(context, createWhoamiServer(grant.subject));
  };
  router.on("GET", metadataPath, { operation: null, handle: metadata });
  router.all(path, { operation: null, handle: serve });
}
