import { defaultIntegrationId } from "./control-plane/integrations/integration-model.ts";
import type { TransitionTable } from "./control-plane/revisions/transition-settings.ts";
import type { Mock } from "./mock.ts";
import { builtInClient, issuerOf } from "./oauth/oauth-model.ts";

/** What a mock server says about itself. */
export interface ServerInfo {
  url: string;
  /** Where each edition's control plane is. */
  editions: { cloud: string; "self-hosted": string };
  /** The workspace of requests that name none. */
  default_workspace_id: string;
  /** The integration that accepts any repository; `null` when it was deleted. */
  default_integration_id: string | null;
  /** How the built-in OAuth provider is told to the auth service. */
  oauth: { auth_url: string; token_url: string; client_id: string; client_secret: string; mcp_server_url: string };
  /** How many keys there are; `null`: any is let in. */
  api_keys: number | null;
  strict: boolean;
  transitions: ReturnType<TransitionTable["get"]>;
  /** `now` in ISO 8601. */
  clock: { now: string; frozen: boolean };
}

/** What `mock` says about itself now. */
export function serverInfo(mock: Mock): ServerInfo {
  const url = mock.publicUrl();
  const issuer = issuerOf(mock);
  const integration = mock.state.integrations.get(defaultIntegrationId);
  return {
    url,
    editions: { cloud: url, "self-hosted": `${url}/api-host` },
    default_workspace_id: mock.keys.defaultWorkspace,
    default_integration_id: integration?.id ?? null,
    oauth: {
      auth_url: `${issuer}/authorize`,
      token_url: `${issuer}/token`,
      client_id: builtInClient.id,
      client_secret: builtInClient.secret,
      mcp_server_url: `${issuer}/mcp`,
    },
    api_keys: mock.keys.size,
    strict: mock.strict,
    transitions: mock.transitions.get(),
    clock: { now: new Date(mock.clock.now()).toISOString(), frozen: mock.clock.frozen },
  };
}
