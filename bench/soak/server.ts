import { startMockServer } from "../../mock-server/server.ts";

/**
 * The server of the soak, in a process of its own: prints its URL, and on each message what it holds after a forced
 * collection.
 */
const server = await startMockServer({ port: 0, transitions: "immediate" });
process.on("message", async (message) => {
  if (message === "close") {
    await server.close();
    process.disconnect();
    return;
  }
  for (let count = 0; count < 3; count++) {
    globalThis.gc?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { heapUsed, arrayBuffers, rss } = process.memoryUsage();
  const resources = process.getActiveResourcesInfo();
  process.send?.({
    heapUsed,
    arrayBuffers,
    rss,
    sockets: resources.filter((name) => name.includes("TCP")).length,
  });
});
process.send?.({ url: server.url });
