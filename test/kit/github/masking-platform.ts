import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A control plane that masks all values of environments: it forwards requests and masks the responses. */
export async function startMaskingPlatform(behind: string): Promise<AsyncDisposable & { url: string }> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const headers = Object.entries(request.headers).filter(([name]) => !["host", "connection"].includes(name));
    const upstream = await fetch(`${behind}${request.url}`, {
      method: request.method ?? "GET",
      headers: headers.map(([name, value]) => [name, String(value)] as [string, string]),
      ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
    });
    const text = await upstream.text();
    const type = upstream.headers.get("content-type") ?? "application/json";
    response.writeHead(upstream.status, { "content-type": type, date: upstream.headers.get("date") ?? "" });
    response.end(text === "" ? "" : JSON.stringify(masked(JSON.parse(text))));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

function masked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(masked);
  if (typeof value !== "object" || value === null) return value;
  const isEntry = "name" in value && "value" in value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, isEntry && name === "value" ? "****" : masked(field)]),
  );
}
