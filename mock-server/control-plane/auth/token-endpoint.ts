import { z } from "zod";
import { OutboundError } from "../../kit/outbound.ts";
import type { Mock } from "../../mock.ts";
import type { ProviderRecord } from "../store/auth-records.ts";

/** What a provider gives for a code or a refresh token. Times are in milliseconds since the epoch. */
export interface IssuedToken {
  accessToken: string;
  refreshToken: string | null;
  expiresAt: number | null;
  scopes: string[] | null;
}

/** RFC 6749, section 5.1 */
const tokenAnswer = z.looseObject({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1).nullish(),
  expires_in: z.coerce.number().positive().nullish(),
  scope: z.string().nullish(),
});
const errorAnswer = z.looseObject({ error: z.string(), error_description: z.string().nullish() });

/** Exchanges an authorization code. @throws {OutboundError} when the provider can't be called or refuses. */
export function exchangeCode(
  mock: Mock,
  provider: ProviderRecord,
  code: string,
  redirectUri: string,
  codeVerifier: string | null,
): Promise<IssuedToken> {
  return askForToken(mock, provider, {
    grant_type: "authorization_code",
    code,
    redirect_uri: redirectUri,
    ...(codeVerifier === null ? {} : { code_verifier: codeVerifier }),
  });
}

/** Renews a token. @throws {OutboundError} when the provider can't be called or refuses. */
export function refresh(mock: Mock, provider: ProviderRecord, refreshToken: string): Promise<IssuedToken> {
  return askForToken(mock, provider, { grant_type: "refresh_token", refresh_token: refreshToken });
}

/** Tells a provider that a token is no longer used, as well as that goes: a provider without a known place, or that doesn't answer, is left alone. */
export async function revoke(mock: Mock, provider: ProviderRecord | undefined, token: string): Promise<void> {
  if (!provider || provider.revocationUrl === null) return;
  await mock.outbound.send(provider.revocationUrl, post(provider, { token })).catch((error: unknown) => {
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

async function askForToken(mock: Mock, provider: ProviderRecord, fields: Record<string, string>): Promise<IssuedToken> {
  const answer = await mock.outbound.send(provider.tokenUrl, post(provider, fields));
  let document: unknown;
  try {
    document = JSON.parse(answer.text);
  } catch {
    throw new OutboundError(`the token endpoint answered ${answer.status} with something other than JSON.`);
  }
  const refusal = errorAnswer.safeParse(document).data;
  if (refusal) throw new OutboundError(`the token endpoint refused: ${refusal.error_description ?? refusal.error}`);
  const issued = answer.status === 200 ? tokenAnswer.safeParse(document).data : undefined;
  if (!issued) throw new OutboundError(`the token endpoint answered ${answer.status} without a token.`);
  mock.redaction.remember(issued.access_token);
  if (issued.refresh_token) mock.redaction.remember(issued.refresh_token);
  return {
    accessToken: issued.access_token,
    refreshToken: issued.refresh_token ?? null,
    expiresAt: issued.expires_in ? mock.clock.now() + issued.expires_in * 1000 : null,
    scopes: issued.scope ? issued.scope.split(/[\s,]+/).filter((scope) => scope !== "") : null,
  };
}
