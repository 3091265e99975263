import type { Exchange } from "../http/exchange.ts";
import { send } from "../http/send.ts";
import type { AgentServer, LiveAgent } from "./agent-server.ts";

/** Serves one agent by itself, at the root of a server. `onDefect` is told why a request got no answer. */
export function agentListener(
  agentServer: AgentServer,
  agent: LiveAgent,
  onDefect: (error: unknown) => void = console.error,
): (exchange: Exchange) => void {
  const answer = async (exchange: Exchange) => {
    send(exchange, await agentServer.handle(agent, exchange.rawPath, exchange, () => undefined));
  };
  return (exchange) => {
    answer(exchange).catch((error: unknown) => {
      onDefect(error);
      exchange.connection.destroy();
    });
  };
}
