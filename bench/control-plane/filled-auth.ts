import type { StoreContent } from "../../mock-server/control-plane/store/content.ts";
import type { FilledStore } from "./filled-store.ts";

/** The provider whose tokens are requested, and the one under which test deployments are created. */
export const providerName = "provider-0";
export const [callersUser, anAgent] = ["user-0", "agent-0"];

const tenantId = "00000000-0000-4000-8000-000000000001";
const tenancy = { edition: "cloud", tenantId } as const;

const tokenOf = (id: string, userId: string, now: number) => ({
  id,
  ...tenancy,
  providerRecordId: "provider-record-0",
  userId,
  createdBy: userId,
  accountLabel: null,
  scopes: ["read"],
  accessToken: `access-token-${id}`,
  refreshToken: null,
  expiresAt: null,
  isDefault: false,
  createdAt: now,
  updatedAt: now,
});

/** Changes a server's data through its snapshot. */
export async function changeContent(
  { mock }: Pick<FilledStore, "mock">,
  change: (content: StoreContent) => void,
): Promise<void> {
  const snapshot = await mock.snapshot.get();
  change(snapshot.content as unknown as StoreContent);
  await mock.snapshot.put(snapshot);
}

/**
 * Fills a store with `size` providers and connections, and one token for each of `size` users. All but ten providers
 * belong to another workspace.
 */
export async function fillAuth({ mock, size }: FilledStore): Promise<void> {
  const now = mock.clock.now();
  const numbers = Array.from({ length: size }, (_, number) => number);
  await changeContent({ mock }, ({ collections }) => {
    collections.providers = numbers.map((number) => ({
      id: `provider-record-${number}`,
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
    }));
    collections.tokens = numbers.map((number) => ({
      ...tokenOf(`token-${number}`, `user-${number}`, now),
      isDefault: true,
    }));
    collections.connections = numbers.map((number) => ({
      id: `connection-${number}`,
      ...tenancy,
      agentId: `agent-${number}`,
      tokenId: `token-${number}`,
      createdBy: `user-${number}`,
      createdAt: now,
    }));
  });
}

/** Creates more tokens for the user `userId`, for an operation that changes or deletes them. */
export async function addTokens({ mock }: FilledStore, ids: readonly string[], userId: string): Promise<void> {
  const now = mock.clock.now();
  await changeContent({ mock }, ({ collections }) => {
    const others = collections.tokens.filter(({ id }) => !ids.includes(id));
    collections.tokens = [...others, ...ids.map((id) => tokenOf(id, userId, now))];
  });
}
