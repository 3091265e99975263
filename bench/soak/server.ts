import { startMockServer } from "../../mock-server/server.ts";

/**
 * The server of the soak test, in its own process. Prints its URL and, on each message, its memory use and open sockets
 * after a forced garbage collection.
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
