import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** `node:http` alone, with the very bytes that the mock server answers: what any server on Node.js is below. `bare.ts <answers as JSON>`; prints its port. */
const answers = JSON.parse(process.argv[2] ?? "{}") as Record<"page" | "revision" | "created", string>;

const requestId = randomUUID();
const server = createServer((request, response) => {
  const send = (status: number, text: string) => {
    response.writeHead(status, {
      "content-type": "application/json",
      "x-request-id": requestId,
      "content-length": Buffer.byteLength(text),
    });
    response.end(text);
  };
  if (request.method === "POST") {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (piece) => {
      body += piece;
    });
    request.on("end", () => {
      JSON.parse(body);
      send(201, answers.created);
    });
  } else send(200, request.url?.includes("/revisions/") ? answers.revision : answers.page);
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
