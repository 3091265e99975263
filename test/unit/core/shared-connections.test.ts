import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { ControlPlane } from "../../../core/client/client.ts";
import { deployment, deploymentId } from "../../kit/deployments.ts";

// Every operation of a run creates a client. Each client had its own connections, which nothing closed.

test("clients of one process share their connections", async () => {
  let connections = 0;
  const server = createServer((_, response) => {
    response.setHeader("content-type", "application/json").end(JSON.stringify(deployment()));
  });
  server.on("connection", () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (let operation = 0; operation < 20; operation += 1) {
    await new ControlPlane({ baseUrl, apiKey: "key-of-a-regression-test" }).deployments.get(deploymentId);
  }
  // A connection becomes free shortly after its response was read, so the next request may not get it.
  expect(connections).toBeLessThanOrEqual(3);
});
