import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { createOutbound, isLoopbackAddress, type OutboundPolicy } from "../../../mock-server/kit/outbound.ts";

async function serverOf(listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const get = { method: "GET" } as const;

test("a host name is called only if all its addresses are on loopback, and then at the checked address", async () => {
  await using server = await serverOf((request, response) => response.end(request.headers.host));
  const url = `http://rebound.example:${server.port}/`;
  const resolving = (...addresses: string[]) =>
    createOutbound({ resolve: async () => addresses.map((address) => ({ address, family: 4 })) });
  expect((await resolving("127.0.0.1").send(url, get)).text).toBe(`rebound.example:${server.port}`);
  await expect(resolving("127.0.0.1", "10.0.0.1").send(url, get)).rejects.toThrow("isn't allowed");
  await expect(resolving("10.0.0.1").send(url, get)).rejects.toThrow("isn't allowed");
  await expect(resolving().send(url, get)).rejects.toThrow("has no address");
});

test("a host name is resolved once per request", async () => {
  await using server = await serverOf((_, response) => response.end("ok"));
  const addresses = ["127.0.0.1", "10.0.0.1"];
  const outbound = createOutbound({ resolve: async () => [{ address: addresses.shift() as string, family: 4 }] });
  expect((await outbound.send(`http://rebound.example:${server.port}/`, get)).text).toBe("ok");
  expect(addresses).toEqual(["10.0.0.1"]);
});

test("a redirect is returned, not followed", async () => {
  await using server = await serverOf((_, response) => {
    response.writeHead(302, { location: "http://169.254.169.254/" }).end();
  });
  const received = await createOutbound().send(`http://127.0.0.1:${server.port}/`, get);
  expect([received.status, received.headers.location]).toEqual([302, "http://169.254.169.254/"]);
});

test("a response that is too long, late or missing is an error", async () => {
  await using server = await serverOf((request, response) => {
    if (request.url === "/long") response.end("x".repeat(2000));
    else if (request.url === "/broken") response.destroy();
  });
  const send = (path: string, policy: OutboundPolicy) =>
    createOutbound(policy).send(`http://127.0.0.1:${server.port}${path}`, get);
  await expect(send("/long", { maxBytes: 1000 })).rejects.toThrow("more than 1000 bytes");
  await expect(send("/late", { timeout: 50 })).rejects.toThrow("didn't respond within 50 ms");
  await expect(send("/broken", {})).rejects.toThrow("can't be reached");
});

test.each([
  "http://10.1.2.3/",
  "http://[fe80::1]/",
  "http://0.0.0.0/",
  "http://2130706433.example.invalid/",
  "file:///etc/passwd",
  "http://user:password@127.0.0.1/",
  "nonsense",
])("%s isn't called", async (url) => {
  await expect(createOutbound().send(url, get)).rejects.toMatchObject({ name: "OutboundError" });
});

test("an allowed host may be on another machine", async () => {
  await using server = await serverOf((_, response) => response.end("ok"));
  const resolve = async () => [{ address: "127.0.0.1", family: 4 }];
  const outbound = createOutbound({ allow: ["*.partner.example"], resolve });
  expect((await outbound.send(`http://api.partner.example:${server.port}/`, get)).status).toBe(200);
});

test.each([
  ["127.0.0.1", true],
  ["127.9.9.9", true],
  ["::1", true],
  ["::ffff:127.0.0.1", true],
  ["::ffff:10.0.0.1", false],
  ["128.0.0.1", false],
  ["0.0.0.0", false],
])("%s is on loopback: %s", (address, expected) => {
  expect(isLoopbackAddress(address)).toBe(expected);
});
