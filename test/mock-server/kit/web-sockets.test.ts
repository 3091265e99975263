import { once } from "node:events";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import type { Handler } from "../../../mock-server/kit/http/http-response.ts";
import { conversation, startHttp } from "../wire.ts";

/** Accepts WebSockets at /echo, and responds to all other requests with their body. */
const handle: Handler = async (context) => {
  if (context.path === "/echo" && context.header("x-api-key") === undefined) return { status: 401, body: {} };
  if (context.path !== "/echo") return { status: 200, content: await context.readBytes(100) };
  return { status: 101, accept: (socket) => socket.on("message", (data) => socket.send(`${data}!`)) };
};

const addressOf = (url: string, path: string) => url.replace("http", "ws") + path;

test("a WebSocket is accepted by the handler of all requests", async () => {
  await using server = await startHttp({ handle });
  const socket = new WebSocket(addressOf(server.url, "/echo"), { headers: { "x-api-key": "any" } });
  await once(socket, "open");
  socket.send("Hello");
  const [message] = await once(socket, "message");
  expect(String(message)).toBe("Hello!");
  socket.close();
  await once(socket, "close");
});

test("what isn't accepted gets the response of the handler", async () => {
  await using server = await startHttp({ handle });
  const refused = new WebSocket(addressOf(server.url, "/echo"));
  const [request, response] = await once(refused, "unexpected-response");
  expect(response.statusCode).toBe(401);
  request.destroy();
});

test("closing the server closes its WebSockets", async () => {
  const server = await startHttp({ handle });
  const socket = new WebSocket(addressOf(server.url, "/echo"), { headers: { "x-api-key": "any" } });
  await once(socket, "open");
  const closed = once(socket, "close");
  await server[Symbol.asyncDispose]();
  await closed;
});

test("a request that asks for HTTP/2 gets its response, body and all, and the connection goes on", async () => {
  await using server = await startHttp({ handle });
  const upgrade = "connection: upgrade, http2-settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n";
  const text = await conversation(
    server.url,
    `POST /a HTTP/1.1\r\nhost: here\r\ncontent-length: 6\r\n${upgrade}\r\nabc`,
    "def",
    "GET /b HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n",
  );
  expect(text.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2);
  expect(text).toContain("\r\n\r\nabcdef");
});
