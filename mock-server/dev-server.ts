import type { AgentServer, LiveAgent } from "./agent-server/agent-server.ts";
import { createGraphAgentServer } from "./agent-server/graph-agent-server.ts";
import { defaultWorkspaceId } from "./control-plane/auth/api-keys.ts";
import { builtInGraphs } from "./graphs/built-in-graphs.ts";
import { hostGuard } from "./host-guard.ts";
import type { Handler } from "./kit/http/http-response.ts";
import { HttpServer } from "./kit/http/http-server.ts";
import { chain } from "./kit/http/middleware.ts";
import { isLoopbackName } from "./kit/loopback.ts";

/** An agent server that stands by itself. */
export interface DevServer extends AsyncDisposable {
  readonly url: string;
  /** `gracePeriodMs`: how long responses under way may take to finish. @default 0 */
  close(options?: { gracePeriodMs?: number }): Promise<void>;
}

/** The one deployment that there is. */
export const localAgent: LiveAgent = {
  revisionId: "00000000-0000-4000-8000-000000000003",
  identity: {
    id: "00000000-0000-4000-8000-000000000002",
    name: "dev",
    tenantId: defaultWorkspaceId,
    kind: "self-hosted",
  },
};

/**
 * Starts one agent server at the root, without a deployment and without keys. On loopback it responds to requests for loopback's names and `allowedHosts` only.
 * @throws a system error when the port is in use
 */
export async function startDevServer(
  port = 2024,
  host = "127.0.0.1",
  agentServer: AgentServer = createGraphAgentServer({ graphs: builtInGraphs }),
  agent: LiveAgent = localAgent,
  allowedHosts: readonly string[] = [],
): Promise<DevServer> {
  const handle: Handler = (context) => agentServer.handle(agent, context.rawPath, context, null);
  const server = new HttpServer({
    handle: isLoopbackName(host) ? chain(hostGuard({ allowedHosts }), handle) : handle,
  });
  const url = await server.listen(port, host);
  const close = async ({ gracePeriodMs = 0 } = {}) => {
    if (gracePeriodMs > 0) await server.close(gracePeriodMs);
    agentServer.close?.();
    await server.close();
  };
  return { url, close, [Symbol.asyncDispose]: () => close() };
}
