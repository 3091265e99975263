import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/**
 * `node:http` alone, with ready answers: what any server on Node.js is below. Reads the answers by method and path, as JSON, from stdin; prints its
 * port.
 */
const answers = JSON.parse(await text(process.stdin)) as Record<string, string>;

const server = createServer((request, response) => {
  let body = "";
  request.setEncoding("utf8");
  request.on("data", (piece) => {
    body += piece;
  });
  request.on("end", () => {
    if (body !== "") JSON.parse(body);
    const answer = answers[`${request.method} ${request.url}`] ?? "{}";
    const type = answer.startsWith("event: ") ? "text/event-stream" : "application/json";
    response.writeHead(200, { "content-type": type, "content-length": Buffer.byteLength(answer) });
    response.end(answer);
  });
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
