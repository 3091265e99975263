import type { ControlPlaneOptions } from "./control-plane/control-plane-options.ts";
import { defaultIntegrationId } from "./control-plane/integrations/integration-seed.ts";
import type { TransitionMode } from "./control-plane/revisions/rollout.ts";
import type { TransitionRule } from "./control-plane/revisions/transition-settings.ts";
import { builtInClient, issuerOf } from "./oauth/oauth-model.ts";

/** Information about a mock server. */
export interface ServerInfo {
  url: string;
  /** The URLs of the control planes. */
  editions: { cloud: string; "self-hosted": string };
  /** The workspace of requests without X-Tenant-Id. */
  defaultWorkspaceId: string;
  /** The integration that accepts any repository; `null` when there are configured ones. */
  defaultIntegrationId: string | null;
  /** The built-in OAuth provider, as the fields for creating it in the auth service. */
  oauth: { auth_url: string; token_url: string; client_id: string; client_secret: string; mcp_server_url: string };
  /** Number of API keys; `null`: any key is valid. */
  apiKeys: number | null;
  strict: boolean;
  transitions: { mode: TransitionMode; rules: TransitionRule[] };
  /** `now` in ISO 8601. */
  clock: { now: string; frozen: boolean };
}

export function serverInfo({ store, clock, apiKeys, transitions, strict, publicUrl }: ControlPlaneOptions): ServerInfo {
  const url = publicUrl();
  const issuer = issuerOf({ publicUrl });
  return {
    url,
    editions: { cloud: url, "self-hosted": `${url}/api-host` },
    defaultWorkspaceId: apiKeys.defaultWorkspace,
    defaultIntegrationId: store.integrations.has(defaultIntegrationId) ? defaultIntegrationId : null,
    oauth: {
      auth_url: `${issuer}/authorize`,
      token_url: `${issuer}/token`,
      client_id: builtInClient.id,
      client_secret: builtInClient.secret,
      mcp_server_url: `${issuer}/mcp`,
    },
    apiKeys: apiKeys.size,
    strict,
    transitions: transitions.get(),
    clock: { now: new Date(clock.now()).toISOString(), frozen: clock.frozen },
  };
}
