import type { FilledStore } from "./filled-store.ts";

/** The provider whose tokens are asked for, and the one that deployments of tests are made under. */
export const providerName = "provider-0";
export const [callersUser, anAgent] = ["user-0", "agent-0"];

const tenantId = "00000000-0000-4000-8000-000000000001";
const scope = { edition: "cloud", tenantId } as const;

/** Gives a store `size` providers and connections, and a token of each of `size` users; all but ten providers are another workspace's. */
export function fillAuth({ mock, size }: FilledStore): void {
  const { providers, tokens, connections } = mock.state;
  const now = mock.clock.now();
  for (let number = 0; number < size; number++) {
    const recordId = `provider-record-${number}`;
    providers.put({
      id: recordId,
      edition: "cloud",
      tenantId: number < 10 ? tenantId : `another-${number}`,
      providerId: `provider-${number}`,
      name: `Provider ${number}`,
      clientId: "client",
      clientSecret: `client-secret-${number}`,
      authUrl: "http://127.0.0.1:9/authorize",
      tokenUrl: "http://127.0.0.1:9/token",
      usesPkce: true,
      codeChallengeMethod: "S256",
      providerType: null,
      tokenEndpointAuthMethod: "client_secret_post",
      mcpServerUrl: null,
      revocationUrl: null,
      isDynamicClient: false,
      createdAt: now,
      updatedAt: now,
    });
    tokens.put({
      id: `token-${number}`,
      ...scope,
      providerRecordId: "provider-record-0",
      userId: `user-${number}`,
      createdBy: `user-${number}`,
      accountLabel: null,
      scopes: ["read"],
      accessToken: `access-token-${number}`,
      refreshToken: null,
      expiresAt: null,
      isDefault: true,
      createdAt: now,
      updatedAt: now,
    });
    connections.put({
      id: `connection-${number}`,
      ...scope,
      agentId: `agent-${number}`,
      tokenId: `token-${number}`,
      createdBy: `user-${number}`,
      createdAt: now,
    });
  }
}

/** One more token, of the user `userId`, for an operation that deletes it. */
export function addToken({ mock }: FilledStore, id: string, userId: string): void {
  const { tokens } = mock.state;
  const known = tokens.get("token-0");
  if (known) tokens.put({ ...known, id, userId, createdBy: userId, isDefault: false });
}
