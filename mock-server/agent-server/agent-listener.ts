import type { RequestListener } from "node:http";
import { Exchange } from "../http/exchange.ts";
import { send } from "../http/send.ts";
import type { AgentServer, LiveAgent } from "./agent-server.ts";

/** Serves one agent by itself, at the root of a server. `onDefect` is told why a request got no answer. */
export function agentListener(
  agentServer: AgentServer,
  agent: LiveAgent,
  onDefect: (error: unknown) => void = console.error,
): RequestListener {
  const answer = async (exchange: Exchange) => {
    send(exchange, await agentServer.handle(agent, exchange.rawPath, exchange, () => undefined));
  };
  return (incoming, outgoing) => {
    answer(new Exchange(incoming, outgoing)).catch((error: unknown) => {
      onDefect(error);
      outgoing.destroy();
    });
  };
}
