import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { WebSocket } from "ws";
import type { Handler } from "../../../../mock-server/kit/http/http-response.ts";
import { connectTo, conversation, startHttp } from "../../../kit/mock-server/wire.ts";

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

test("a WebSocket that isn't accepted gets the handler's response", async () => {
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

test("a request with an HTTP/2 upgrade gets its response, and the connection stays usable", async () => {
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

test("a pipelined request that asks for an upgrade waits for the responses before its own", async () => {
  const handled: string[] = [];
  const slowly: Handler = async (context) => {
    handled.push(`${context.path} begins`);
    const content = await context.readBytes(100);
    await setTimeout(50);
    handled.push(`${context.path} ends`);
    return { status: 200, content };
  };
  for (const upgrade of ["h2c", "websocket"]) {
    await using server = await startHttp({ handle: slowly });
    handled.length = 0;
    const text = await conversation(
      server.url,
      "POST /a HTTP/1.1\r\nhost: here\r\ncontent-length: 1\r\n\r\na" +
        "POST /b HTTP/1.1\r\nhost: here\r\ncontent-length: 1\r\n\r\nb" +
        `GET /c HTTP/1.1\r\nhost: here\r\nconnection: upgrade\r\nupgrade: ${upgrade}\r\n\r\n`,
      ...(upgrade === "h2c" ? ["GET /d HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n"] : []),
    );
    const paths = upgrade === "h2c" ? ["/a", "/b", "/c", "/d"] : ["/a", "/b", "/c"];
    expect(handled, upgrade).toEqual(paths.flatMap((path) => [`${path} begins`, `${path} ends`]));
    expect(text.match(/HTTP\/1\.1 200 OK/g), upgrade).toHaveLength(paths.length);
  }
});

test("a WebSocket requested after pipelined requests gets its messages", async () => {
  await using server = await startHttp({ handle });
  const socket = connectTo(server.url);
  const post = "POST /a HTTP/1.1\r\nhost: here\r\ncontent-length: 1\r\n\r\na";
  const key = "sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\nx-api-key: any";
  socket.write(
    `${post}${post}GET /echo HTTP/1.1\r\nhost: here\r\nconnection: upgrade\r\nupgrade: websocket\r\n${key}\r\n\r\n`,
  );
  let text = "";
  socket.setEncoding("latin1").on("data", (more) => {
    text += more;
  });
  await vi.waitUntil(() => text.includes("101 Switching Protocols"));
  // A masked text frame: "Hi".
  socket.write(Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0x48, 0x69]));
  await vi.waitUntil(() => text.endsWith("Hi!"));
  socket.destroy();
});

test("a connection takes any number of requests with an HTTP/2 upgrade", async () => {
  await using server = await startHttp({ handle });
  const warnings: Error[] = [];
  const warned = (warning: Error) => warnings.push(warning);
  process.on("warning", warned);
  const request = "GET /a HTTP/1.1\r\nhost: here\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n";
  const last = "GET /b HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n";
  const text = await conversation(server.url, ...Array<string>(12).fill(request), last);
  process.off("warning", warned);
  expect(text.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(13);
  expect(warnings).toEqual([]);
});
