import { z } from "zod";
import { escapeHtml, simplePage } from "../kit/http/html-page.ts";
import { type HttpResponse, jsonResponse, pageResponse } from "../kit/http/http-response.ts";
import { parseJson } from "../kit/http/json.ts";
import type { RequestContext } from "../kit/http/request-context.ts";
import type { Endpoint, Router } from "../kit/http/router.ts";
import { serveMcp } from "./mcp-server.ts";
import {
  type AuthorizationRequest,
  authenticateClient,
  clientOf,
  issueCode,
  issuerOf,
  mayRedirectTo,
  OAuthError,
  type OAuthOptions,
  redeemCode,
  redeemRefreshToken,
  registerOAuthClient,
  revokeGrant,
  tokenResponse,
} from "./oauth-model.ts";

const noStore = { "cache-control": "no-store" };

/**
 * Serves the built-in OAuth 2.1 provider (authorization code with PKCE, refresh, registration, revocation) and an MCP
 * server behind it.
 */
export function serveOAuth(router: Router<Endpoint>, options: OAuthOptions): void {
  const serve = (method: string, path: string, handle: Endpoint["handle"]) =>
    router.on(method, path, { operation: null, handle });
  const describe = () => jsonResponse(200, metadataOf(options));
  serve("GET", "/.well-known/oauth-authorization-server/oauth", describe);
  serve("GET", "/oauth/.well-known/openid-configuration", describe);
  serve("GET", "/oauth/authorize", (context) => askUser(context, options));
  serve("POST", "/oauth/authorize", (context) => takeDecision(context, options));
  serve("POST", "/oauth/token", (context) =>
    responding(async () => issueTokens(options, await readForm(context), context)),
  );
  serve("POST", "/oauth/revoke", (context) =>
    responding(async () => {
      const form = await readForm(context);
      revokeGrant(options, clientOfRequest(options, form, context), form.get("token") ?? "");
      return {};
    }),
  );
  serve("POST", "/oauth/register", (context) => responding(() => register(context, options), 201));
  serveMcp(router, options);
}

function metadataOf(options: OAuthOptions): Record<string, unknown> {
  const issuer = issuerOf(options);
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    registration_endpoint: `${issuer}/register`,
    revocation_endpoint: `${issuer}/revoke`,
    response_types_supported: ["code"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none", "client_secret_basic", "client_secret_post"],
  };
}

async function responding(bodyOf: () => Promise<object>, status = 200): Promise<HttpResponse> {
  try {
    return jsonResponse(status, await bodyOf(), noStore);
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    const body = { error: error.code, error_description: error.message };
    const challenge: Record<string, string> = error.status === 401 ? { "www-authenticate": "Basic" } : {};
    return jsonResponse(error.status, body, { ...noStore, ...challenge });
  }
}

async function readForm(context: RequestContext): Promise<URLSearchParams> {
  const form = new URLSearchParams(await context.readText());
  for (const name of new Set(form.keys())) {
    if (form.getAll(name).length > 1) throw new OAuthError("invalid_request", `${name} is given more than once.`);
  }
  return form;
}

/** A request with a known client and one of its redirect URIs. Others never get a redirect. */
function readAuthorization(
  options: OAuthOptions,
  query: URLSearchParams,
): AuthorizationRequest & { state: string | null } {
  const client = clientOf(options, query.get("client_id") ?? "");
  if (!client) throw new OAuthError("invalid_client", "The client is unknown.");
  const redirectUri = query.get("redirect_uri") ?? "";
  if (!mayRedirectTo(options, client, redirectUri)) {
    throw new OAuthError("invalid_request", "The redirect URI isn't one of the client's.");
  }
  return {
    clientId: client.id,
    redirectUri,
    scope: query.get("scope") ?? "",
    codeChallenge: query.get("code_challenge"),
    state: query.get("state"),
  };
}

/** The problem with the rest of a request, for the client. */
function requestProblem(
  options: OAuthOptions,
  query: URLSearchParams,
): { error: string; description: string } | undefined {
  if (query.get("response_type") !== "code") {
    return { error: "unsupported_response_type", description: "response_type must be code." };
  }
  const challenge = query.get("code_challenge");
  const client = clientOf(options, query.get("client_id") ?? "");
  if (challenge === null) {
    return client?.secret === null
      ? { error: "invalid_request", description: "A public client must send a code_challenge." }
      : undefined;
  }
  if ((query.get("code_challenge_method") ?? "plain") !== "S256") {
    return { error: "invalid_request", description: "code_challenge_method must be S256." };
  }
  return /^[A-Za-z0-9_-]{43}$/.test(challenge)
    ? undefined
    : { error: "invalid_request", description: "code_challenge isn't an S256 challenge." };
}

function redirect(uri: string, fields: Record<string, string | null>): HttpResponse {
  const url = new URL(uri);
  for (const [name, value] of Object.entries(fields)) if (value !== null) url.searchParams.set(name, value);
  return jsonResponse(302, undefined, { ...noStore, location: url.href, "referrer-policy": "no-referrer" });
}

const refusal = (error: OAuthError) =>
  pageResponse(400, simplePage("Not possible", `<p>${escapeHtml(error.message)}</p>`));

/** Shows the user the client and the requested scope. */
function askUser(context: RequestContext, options: OAuthOptions): HttpResponse {
  const query = context.query;
  try {
    const request = readAuthorization(options, query);
    const flaw = requestProblem(options, query);
    if (flaw) {
      const { error, description } = flaw;
      return redirect(request.redirectUri, { error, error_description: description, state: request.state });
    }
    const client = clientOf(options, request.clientId);
    const hidden = [...query]
      .map(([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`)
      .join("\n");
    return pageResponse(
      200,
      simplePage(
        "Allow access?",
        `<p><strong>${escapeHtml(client?.name ?? request.clientId)}</strong> requests access to: ${escapeHtml(request.scope || "no particular scope")}.</p>
<form method="post" action="authorize">
${hidden}
<p><label>You are <input name="subject" value="${escapeHtml(query.get("login_hint") ?? "user@example.com")}" required></label></p>
<button name="decision" value="allow">Allow</button><button name="decision" value="deny">Deny</button>
</form>`,
      ),
    );
  } catch (error) {
    if (error instanceof OAuthError) return refusal(error);
    throw error;
  }
}

/** Sends the browser back with a code or with the user's refusal. */
async function takeDecision(context: RequestContext, options: OAuthOptions): Promise<HttpResponse> {
  try {
    const form = await readForm(context);
    const request = readAuthorization(options, form);
    const { state, ...authorization } = request;
    const flaw = requestProblem(options, form);
    if (flaw) {
      return redirect(request.redirectUri, { error: flaw.error, error_description: flaw.description, state });
    }
    if (form.get("decision") !== "allow") {
      const description = "The user has denied access.";
      return redirect(request.redirectUri, { error: "access_denied", error_description: description, state });
    }
    const code = issueCode(options, authorization, form.get("subject") || "user@example.com");
    return redirect(request.redirectUri, { code, state, iss: issuerOf(options) });
  } catch (error) {
    if (error instanceof OAuthError) return refusal(error);
    throw error;
  }
}

function clientOfRequest(options: OAuthOptions, form: URLSearchParams, context: RequestContext) {
  const basic = /^Basic\s+(\S+)$/i.exec(context.header("authorization") ?? "")?.[1];
  if (basic === undefined) {
    return authenticateClient(options, form.get("client_id") ?? undefined, form.get("client_secret") ?? undefined);
  }
  const [id = "", ...secret] = Buffer.from(basic, "base64").toString("utf8").split(":");
  try {
    return authenticateClient(options, decodeURIComponent(id), decodeURIComponent(secret.join(":")));
  } catch {
    throw new OAuthError("invalid_client", "The Authorization header can't be read.", 401);
  }
}

function issueTokens(options: OAuthOptions, form: URLSearchParams, context: RequestContext): object {
  const client = clientOfRequest(options, form, context);
  const required = (name: string) => {
    const value = form.get(name);
    if (!value) throw new OAuthError("invalid_request", `${name} is missing.`);
    return value;
  };
  switch (required("grant_type")) {
    case "authorization_code": {
      const verifier = form.get("code_verifier") ?? undefined;
      return tokenResponse(options, redeemCode(options, client, required("code"), required("redirect_uri"), verifier));
    }
    case "refresh_token":
      return tokenResponse(options, redeemRefreshToken(options, client, required("refresh_token")));
    default:
      throw new OAuthError("unsupported_grant_type", "grant_type must be authorization_code or refresh_token.");
  }
}

const registrationRequest = z.object({
  client_name: z.string().max(255).optional(),
  redirect_uris: z.array(z.string().max(2048)).min(1).max(20),
  token_endpoint_auth_method: z
    .enum(["none", "client_secret_basic", "client_secret_post"])
    .default("client_secret_basic"),
});

async function register(context: RequestContext, options: OAuthOptions): Promise<object> {
  let input: unknown;
  try {
    input = parseJson(await context.readText());
  } catch {
    throw new OAuthError("invalid_client_metadata", "The body isn't JSON.");
  }
  const request = registrationRequest.safeParse(input);
  if (!request.success) {
    const [issue] = request.error.issues;
    throw new OAuthError("invalid_client_metadata", `${issue?.path.join(".")}: ${issue?.message}`);
  }
  const { client_name: name = "Client", redirect_uris: uris, token_endpoint_auth_method: method } = request.data;
  const client = registerOAuthClient(options, name, uris, method === "none");
  return {
    client_id: client.id,
    ...(client.secret === null ? {} : { client_secret: client.secret, client_secret_expires_at: 0 }),
    client_name: client.name,
    redirect_uris: client.redirectUris,
    token_endpoint_auth_method: method,
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
  };
}
