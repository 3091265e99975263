import { z } from "zod";
import { type Outbound, OutboundError } from "../../kit/outbound.ts";

/** The endpoints of an MCP server's authorization server. */
export interface McpAuthorization {
  authorizationEndpoint: string;
  tokenEndpoint: string;
  registrationEndpoint: string;
  revocationEndpoint: string | null;
}

export interface RegisteredClient {
  clientId: string;
  clientSecret: string | null;
  tokenEndpointAuthMethod: string;
}

/** RFC 9728 */
const resourceMetadata = z.looseObject({ authorization_servers: z.array(z.url()).min(1) });
/** RFC 8414 */
const serverMetadata = z.looseObject({
  issuer: z.string(),
  authorization_endpoint: z.url(),
  token_endpoint: z.url(),
  registration_endpoint: z.url().optional(),
  revocation_endpoint: z.url().optional(),
  code_challenge_methods_supported: z.array(z.string()).optional(),
});
/** RFC 7591 */
const registration = z.looseObject({
  client_id: z.string().min(1),
  client_secret: z.string().optional(),
  token_endpoint_auth_method: z.string().optional(),
});

/**
 * Discovers the authorization server of an MCP server, from the resource metadata that its 401 points to or from the
 * well-known URLs, as in the MCP specification of 2025-06-18.
 * @throws {OutboundError} when a server can't be called or its metadata isn't usable.
 */
export async function discoverMcpServer(outbound: Outbound, mcpServerUrl: string): Promise<McpAuthorization> {
  const url = new URL(mcpServerUrl);
  const challenge = await outbound.send(mcpServerUrl, { method: "GET", headers: { accept: "text/event-stream" } });
  const pointed = /resource_metadata="([^"]+)"/i.exec(challenge.headers["www-authenticate"] ?? "")?.[1];
  if (pointed !== undefined && (!URL.canParse(pointed) || new URL(pointed).origin !== url.origin)) {
    throw new OutboundError(`${url.origin} points to resource metadata on another host.`);
  }
  const places = [
    pointed,
    wellKnown(url, "oauth-protected-resource"),
    wellKnown(new URL(url.origin), "oauth-protected-resource"),
  ];
  const resource = await firstDocument(outbound, places, resourceMetadata);
  const issuer = new URL(resource?.authorization_servers[0] ?? url.origin);
  const server = await firstDocument(
    outbound,
    [
      wellKnown(issuer, "oauth-authorization-server"),
      wellKnown(issuer, "openid-configuration"),
      `${issuer.href.replace(/\/$/, "")}/.well-known/openid-configuration`,
    ],
    serverMetadata,
  );
  if (!server) throw new OutboundError(`${url.origin} has no authorization server with metadata.`);
  if (trimmed(server.issuer) !== trimmed(issuer.href)) {
    throw new OutboundError(`${issuer.origin} has metadata of another issuer.`);
  }
  if (!server.registration_endpoint) {
    throw new OutboundError(`${issuer.origin} has no dynamic client registration: create the provider manually.`);
  }
  if (!server.code_challenge_methods_supported?.includes("S256")) {
    throw new OutboundError(`${issuer.origin} doesn't advertise PKCE with S256.`);
  }
  return {
    authorizationEndpoint: server.authorization_endpoint,
    tokenEndpoint: server.token_endpoint,
    registrationEndpoint: server.registration_endpoint,
    revocationEndpoint: server.revocation_endpoint ?? null,
  };
}

/** Registers a public client with one redirect URI. @throws {OutboundError} when the server refuses. */
export async function registerClient(
  outbound: Outbound,
  server: McpAuthorization,
  redirectUri: string,
): Promise<RegisteredClient> {
  const response = await outbound.send(server.registrationEndpoint, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify({
      client_name: "graphdeploy mock server",
      redirect_uris: [redirectUri],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    }),
  });
  const client = response.status >= 200 && response.status < 300 ? parsed(response.text, registration) : undefined;
  if (!client) throw new OutboundError(`the registration got ${response.status} without a client.`);
  return {
    clientId: client.client_id,
    clientSecret: client.client_secret ?? null,
    tokenEndpointAuthMethod:
      client.token_endpoint_auth_method ?? (client.client_secret === undefined ? "none" : "client_secret_basic"),
  };
}

const trimmed = (url: string) => url.replace(/\/$/, "");

/** The well-known URL of a server with a path: inserted before the path, as in RFC 8414. */
function wellKnown(url: URL, name: string): string {
  return `${url.origin}/.well-known/${name}${trimmed(url.pathname)}`;
}

function parsed<Schema extends z.ZodType>(text: string, schema: Schema): z.output<Schema> | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

async function firstDocument<Schema extends z.ZodType>(
  outbound: Outbound,
  places: readonly (string | undefined)[],
  schema: Schema,
): Promise<z.output<Schema> | undefined> {
  for (const place of places) {
    if (place === undefined) continue;
    const response = await outbound.send(place, { method: "GET", headers: { accept: "application/json" } });
    const document = response.status === 200 ? parsed(response.text, schema) : undefined;
    if (document) return document;
  }
  return undefined;
}
