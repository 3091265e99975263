import type { Redaction } from "../redaction.ts";
import type { StateContent } from "./repositories.ts";

/** Makes the secrets of a state known, so that they are redacted wherever they would be shown. */
export function rememberSecretsOf(redaction: Redaction, { deployments, collections }: StateContent): void {
  for (const { secrets } of deployments) for (const { value } of secrets) redaction.remember(value);
  const { providers, tokens, oauthClients, oauthCodes, oauthGrants } = collections;
  const values = [
    ...providers.map(({ clientSecret }) => clientSecret),
    ...tokens.flatMap(({ accessToken, refreshToken }) => [accessToken, refreshToken]),
    ...oauthClients.map(({ secret }) => secret),
    ...oauthCodes.map(({ id }) => id),
    ...oauthGrants.flatMap(({ accessToken, refreshToken }) => [accessToken, refreshToken]),
  ];
  for (const value of values) if (value !== null) redaction.remember(value);
}
