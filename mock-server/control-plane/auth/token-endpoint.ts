import { z } from "zod";
import { OutboundError } from "../../kit/outbound.ts";
import type { ProviderRecord } from "../store/auth-records.ts";
import type { AuthOptions } from "./auth-options.ts";

/** A token response of a provider. Times are in milliseconds since the epoch. */
export interface IssuedToken {
  accessToken: string;
  refreshToken: string | null;
  expiresAt: number | null;
  scopes: string[] | null;
}

/** RFC 6749, section 5.1 */
const tokenResponse = z.looseObject({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1).nullish(),
  expires_in: z.coerce.number().positive().nullish(),
  scope: z.string().nullish(),
});
const errorResponse = z.looseObject({ error: z.string(), error_description: z.string().nullish() });

/** Dependencies of requests to a token endpoint. */
export type TokenEndpointOptions = Pick<AuthOptions, "clock" | "outbound" | "redaction">;

/** Exchanges an authorization code. @throws {OutboundError} when the provider can't be called or refuses. */
export function exchangeCode(
  options: TokenEndpointOptions,
  provider: ProviderRecord,
  code: string,
  redirectUri: string,
  codeVerifier: string | null,
): Promise<IssuedToken> {
  return requestToken(options, provider, {
    grant_type: "authorization_code",
    code,
    redirect_uri: redirectUri,
    ...(codeVerifier === null ? {} : { code_verifier: codeVerifier }),
  });
}

/** Renews a token. @throws {OutboundError} when the provider can't be called or refuses. */
export function refresh(
  options: TokenEndpointOptions,
  provider: ProviderRecord,
  refreshToken: string,
): Promise<IssuedToken> {
  return requestToken(options, provider, { grant_type: "refresh_token", refresh_token: refreshToken });
}

/** Revokes a token at its provider, best effort: does nothing without a known endpoint, and ignores failures. */
export async function revoke(
  { outbound }: TokenEndpointOptions,
  provider: ProviderRecord | undefined,
  token: string,
): Promise<void> {
  if (!provider || provider.revocationUrl === null) return;
  await outbound.send(provider.revocationUrl, post(provider, { token })).catch((error: unknown) => {
    if (!(error instanceof OutboundError)) throw error;
  });
}

function post(provider: ProviderRecord, fields: Record<string, string>) {
  const body = new URLSearchParams(fields);
  const headers: Record<string, string> = {
    "content-type": "application/x-www-form-urlencoded",
    accept: "application/json",
  };
  const secret = provider.clientSecret;
  if (provider.tokenEndpointAuthMethod === "client_secret_basic" && secret !== null) {
    const pair = `${encodeURIComponent(provider.clientId)}:${encodeURIComponent(secret)}`;
    headers.authorization = `Basic ${Buffer.from(pair).toString("base64")}`;
  } else {
    body.set("client_id", provider.clientId);
    if (provider.tokenEndpointAuthMethod !== "none" && secret !== null) body.set("client_secret", secret);
  }
  return { method: "POST", headers, body: body.toString() } as const;
}

async function requestToken(
  { clock, outbound, redaction }: TokenEndpointOptions,
  provider: ProviderRecord,
  fields: Record<string, string>,
): Promise<IssuedToken> {
  const response = await outbound.send(provider.tokenUrl, post(provider, fields));
  let document: unknown;
  try {
    document = JSON.parse(response.text);
  } catch {
    throw new OutboundError(`the token endpoint responded with ${response.status} and a body that isn't JSON.`);
  }
  const refusal = errorResponse.safeParse(document).data;
  if (refusal) throw new OutboundError(`the token endpoint refused: ${refusal.error_description ?? refusal.error}`);
  const issued = response.status === 200 ? tokenResponse.safeParse(document).data : undefined;
  if (!issued) throw new OutboundError(`the token endpoint responded with ${response.status} and no token.`);
  redaction.remember(issued.access_token);
  if (issued.refresh_token) redaction.remember(issued.refresh_token);
  return {
    accessToken: issued.access_token,
    refreshToken: issued.refresh_token ?? null,
    expiresAt: issued.expires_in ? clock.now() + issued.expires_in * 1000 : null,
    scopes: issued.scope ? issued.scope.split(/[\s,]+/).filter((scope) => scope !== "") : null,
  };
}
