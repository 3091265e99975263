import { expect, onTestFinished, test } from "vitest";
import { createGraphAgentServer } from "../../../../mock-server/agent-server/graph-agent-server.ts";
import { startDevServer } from "../../../../mock-server/dev-server.ts";
import { startMockServer } from "../../../../mock-server/server.ts";
import { startProject } from "../../../kit/agent-server/compiled/project.ts";
import { conversation } from "../../../kit/mock-server/wire.ts";

const servers = {
  "a mock server": async () => {
    const mock = await startMockServer({ port: 0, allowedHosts: ["a b"] });
    onTestFinished(() => mock.close());
    return mock.url;
  },
  "an agent server with auth handlers": async () => {
    const project = await startProject("guarded");
    onTestFinished(() => project.close());
    const server = await startDevServer(0, "127.0.0.1", createGraphAgentServer({ projectOf: async () => project }));
    onTestFinished(() => server.close());
    return server.url;
  },
};

const cases: [name: string, head: string, status: number, detail: string][] = [
  ["TRACE", "TRACE /threads HTTP/1.1\r\nhost: here", 405, "Method Not Allowed"],
  ["CONNECT", "CONNECT here:443 HTTP/1.1\r\nhost: here:443", 405, "Method Not Allowed"],
  ["CONNECT to no address", "CONNECT x HTTP/1.1\r\nhost: a b", 405, "Method Not Allowed"],
  ["a host of two words", "GET /threads HTTP/1.1\r\nhost: a b", 400, "isn't a host"],
  ["a host with a path", "GET /threads HTTP/1.1\r\nhost: a/b", 400, "isn't a host"],
  ["a host with a user", "GET /threads HTTP/1.1\r\nhost: a@b", 400, "isn't a host"],
  ["a host without an end", "GET /threads HTTP/1.1\r\nhost: [::1", 400, "isn't a host"],
  ["a host with a port that is none", "GET /threads HTTP/1.1\r\nhost: a:b", 400, "isn't a host"],
  ["an empty host", "GET /threads HTTP/1.1\r\nhost: ", 400, "isn't a host"],
  [
    "a WebSocket with an invalid host",
    "GET /threads HTTP/1.1\r\nhost: a b\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==",
    400,
    "isn't a host",
  ],
];

test.each(Object.keys(servers) as (keyof typeof servers)[])(
  "%s refuses invalid requests, and never with a 500",
  async (name) => {
    const url = await servers[name]();
    for (const [what, head, status, detail] of cases) {
      const connection = what.includes("WebSocket") ? "upgrade" : "close";
      const response = await conversation(url, `${head}\r\nconnection: ${connection}\r\n\r\n`);
      expect([what, response]).toEqual([what, expect.stringMatching(new RegExp(`^HTTP/1\\.1 ${status} `))]);
      expect(response).toContain(detail);
    }
  },
);
