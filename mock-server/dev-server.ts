import type { AgentServer, LiveAgent } from "./agent-server/agent-server.ts";
import { createGraphAgentServer } from "./agent-server/graph-agent-server.ts";
import { defaultWorkspaceId } from "./control-plane/auth/api-keys.ts";
import { builtInGraphs } from "./graphs/built-in-graphs.ts";
import { hostGuard } from "./host-guard.ts";
import type { Handler } from "./kit/http/http-response.ts";
import { HttpServer } from "./kit/http/http-server.ts";
import { chain } from "./kit/http/middleware.ts";
import { isLoopbackName } from "./kit/loopback.ts";

/** An agent server without a control plane. */
export interface DevServer extends AsyncDisposable {
  readonly url: string;
  /** `gracePeriodMs`: the time that responses in progress get to finish, in milliseconds. @default 0 */
  close(options?: { gracePeriodMs?: number }): Promise<void>;
}

/** The deployment that `dev` serves. */
export const localAgent: LiveAgent = {
  revisionId: "00000000-0000-4000-8000-000000000003",
  identity: {
    id: "00000000-0000-4000-8000-000000000002",
    name: "dev",
    tenantId: defaultWorkspaceId,
    kind: "self-hosted",
  },
};

/** Starts one agent server at the root, without keys. */
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
