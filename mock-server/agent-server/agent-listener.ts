import type { RequestListener } from "node:http";
import { Exchange } from "../http/exchange.ts";
import { send } from "../http/send.ts";
import type { AgentServer, LiveAgent } from "./agent-server.ts";

/** Serves one agent by itself, at the root of a server. */
export function agentListener(agentServer: AgentServer, agent: LiveAgent): RequestListener {
  return async (incoming, outgoing) => {
    const exchange = new Exchange(incoming, outgoing);
    send(exchange, await agentServer.handle(agent, exchange.rawPath, exchange, () => undefined));
  };
}
