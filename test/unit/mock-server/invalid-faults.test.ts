import { connect } from "node:net";
import { expect, test } from "vitest";
import { githubBody, startForTest } from "../../kit/mock-server/api.ts";

/** Everything that the server sends in response to `text`, until it closes the connection. */
function responseTo(url: string, text: string): Promise<string> {
  return new Promise((resolve) => {
    let response = "";
    const socket = connect(Number(new URL(url).port), "127.0.0.1", () => socket.write(text));
    socket.on("data", (piece) => {
      response += piece;
    });
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(response));
  });
}

const requestOf = (method: string, path: string, headers = "") =>
  `${method} ${path} HTTP/1.1\r\nhost: localhost\r\nx-api-key: key\r\n${headers}\r\n`;

test("headers that can't be sent are refused with their fault rule", async () => {
  await using mock = await startForTest();
  for (const headers of [{ "bad name": "x" }, { "x-split": "a\r\nb: c" }, { "x-wide": "€" }, { "": "x" }]) {
    const { status, body } = await mock.cloud("POST", "/_mock/faults", [{ effect: { status: 500, headers } }]);
    expect(status).toBe(422);
    expect(JSON.stringify(body)).toMatch(/can't be sent/);
  }
  const headers = { "Retry-After": "1", "x-latin": "ü" };
  expect((await mock.cloud("POST", "/_mock/faults", [{ effect: { status: 503, headers } }])).status).toBe(201);
  expect((await mock.cloud("GET", "/v2/deployments")).headers.get("retry-after")).toBe("1");
});

test("a fault can't have a body with a status that allows none", async () => {
  await using mock = await startForTest();
  for (const status of [204, 205, 304]) {
    const { body } = await mock.cloud("POST", "/_mock/faults", [{ effect: { status, body: {} } }]);
    expect(JSON.stringify(body)).toContain(`a ${status} has no body`);
  }
  mock.faults.add({ effect: { status: 205 } });
  const response = await responseTo(mock.url, requestOf("GET", "/v2/deployments", "connection: close\r\n"));
  expect(response).toMatch(/^HTTP\/1\.1 205 Reset Content\r\n.*content-length: 0\r\n.*\r\n\r\n$/s);
});

test("a connection is also reset for a request that waits behind another on it", async () => {
  await using mock = await startForTest();
  mock.faults.add(
    { match: { operation: "list_deployments" }, effect: { latency: "50ms" } },
    { match: { path: "/v1/*" }, effect: { reset: "before" } },
  );
  await responseTo(mock.url, requestOf("GET", "/v2/deployments") + requestOf("GET", "/v1/integrations/github/install"));
  expect(mock.requests({ path: "/v1/*" })).toMatchObject([{ status: null }]);
});

test("a malformed response without a body has no body", async () => {
  await using mock = await startForTest();
  const { body } = await mock.cloud("POST", "/v2/deployments", githubBody());
  mock.faults.add({ effect: { malformed: true } });
  const path = `/v2/deployments/${body.id}`;
  const response = await responseTo(mock.url, requestOf("DELETE", path, "connection: close\r\n"));
  expect(response).toMatch(/^HTTP\/1\.1 204 /);
  expect(response).not.toMatch(/content-length/i);
});
