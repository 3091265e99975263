import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { send } from "../../mock-server/http/send.ts";
import { answered, startHttp } from "../mock-server/wire.ts";

test("a client that reads late what it has asked for many times is warned about by nobody", async () => {
  const warnings: string[] = [];
  const note = ({ message }: Error) => void warnings.push(message);
  process.on("warning", note);
  try {
    await using server = await startHttp({
      serve: (exchange) => void send(exchange, { status: 200, content: "x".repeat(1_000_000) }),
    });
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1").pause();
    let taken = 0;
    socket.on("data", (bytes: Buffer) => {
      taken += bytes.length;
    });
    const request = (headers = "") => `GET / HTTP/1.1\r\nhost: here\r\n${headers}\r\n`;
    socket.write(request().repeat(30) + request("connection: close\r\n"));
    // The server has come to know the requests when it has answered somebody who came later.
    expect(await answered(server.url, request("connection: close\r\n"))).toMatch(/^HTTP\/1\.1 200 /);
    socket.resume();
    await once(socket, "close");
    expect(taken).toBeGreaterThan(31_000_000);
    expect(warnings).toEqual([]);
  } finally {
    process.off("warning", note);
  }
});
