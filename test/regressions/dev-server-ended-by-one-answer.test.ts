import { expect, test } from "vitest";
import { agentListener } from "../../mock-server/agent-server/agent-listener.ts";
import type { AgentServer } from "../../mock-server/agent-server/agent-server.ts";
import { localAgent } from "../../mock-server/dev-server.ts";
import { HttpServer } from "../../mock-server/http/http-server.ts";

test("an answer that can't be written breaks off its own connection and nothing else", async () => {
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  const agentServer: AgentServer = {
    handle: async (_agent, path) => ({ status: 200, body: path === "/circular" ? circular : { ok: true } }),
  };
  const defects: unknown[] = [];
  const server = new HttpServer({ serve: agentListener(agentServer, localAgent, (error) => defects.push(error)) });
  try {
    const url = await server.listen(0, "127.0.0.1");
    await expect(fetch(`${url}/circular`)).rejects.toThrow();
    expect(defects).toHaveLength(1);
    expect((await fetch(`${url}/ok`)).status).toBe(200);
  } finally {
    await server.close();
  }
});
