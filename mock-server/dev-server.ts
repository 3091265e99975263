import type { AgentServer, LiveAgent } from "./agent-server/agent-server.ts";
import { createGraphAgentServer } from "./agent-server/graph-agent-server.ts";
import { defaultWorkspaceId } from "./control-plane/auth/api-keys.ts";
import { HttpServer } from "./kit/http/http-server.ts";

/** An agent server that stands by itself. */
export interface DevServer extends AsyncDisposable {
  readonly url: string;
  close(): Promise<void>;
}

/** The one deployment that there is. */
export const localAgent: LiveAgent = {
  revisionId: "00000000-0000-4000-8000-000000000003",
  deployment: {
    id: "00000000-0000-4000-8000-000000000002",
    sequence: 0,
    edition: "self-hosted",
    tenantId: defaultWorkspaceId,
    name: "dev",
    displayName: null,
    source: "github",
    sourceConfig: {},
    revisionConfig: {},
    secrets: [],
    secretReferences: null,
    createdAt: 0,
    updatedAt: 0,
    latestRevisionId: "00000000-0000-4000-8000-000000000003",
    readyAt: 0,
    activations: [],
    deletion: null,
    tagValueIds: [],
  },
};

/** Starts one agent server at the root, without a deployment and without keys. */
export async function startDevServer(
  port = 2024,
  host = "127.0.0.1",
  agentServer: AgentServer = createGraphAgentServer(),
  agent: LiveAgent = localAgent,
): Promise<DevServer> {
  const server = new HttpServer({
    // Without keys.
    handle: (context) => agentServer.handle(agent, context.rawPath, context, () => undefined),
  });
  const url = await server.listen(port, host);
  const close = async () => {
    if (!server.isListening) return;
    agentServer.close?.();
    await server.close();
  };
  return { url, close, [Symbol.asyncDispose]: close };
}
