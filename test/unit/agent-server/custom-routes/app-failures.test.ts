import { expect, test } from "vitest";
import { until } from "../../../kit/agent-server/agent.ts";
import { startConfigured } from "../../../kit/agent-server/compiled/configured-project.ts";

const files = {
  "failing.ts": `
    export const app = {
      fetch({ url }) {
        if (url.endsWith("/error")) return Response.error();
        return new Response(
          new ReadableStream({
            async pull(controller) {
              if (url.endsWith("/text")) return controller.enqueue("text");
              throw new Error("in the middle");
            },
          }),
        );
      },
    };`,
};

test.each([
  ["/breaks", "Error: in the middle"],
  ["/text", "The worker returned an invalid result"],
  ["/error", "returned a Response.error()"],
])("the log says why the response to %s failed", async (path, reason) => {
  const messages: string[] = [];
  const server = { onLog: ({ message }: { message: string }) => messages.push(message) };
  await using agent = await startConfigured({ keys: { http: { app: "./failing.ts:app" } }, files, server });
  await fetch(agent.url + path)
    .then((response) => response.text())
    .catch(() => undefined);
  await until(async () => messages.some((message) => message.startsWith("The app of http.app failed")));
  expect(messages).toEqual([expect.stringContaining(reason)]);
});

test("the body of a response that comes after its client has left is cancelled", async () => {
  const files = {
    "late.ts": `
      export const app = {
        async fetch({ signal }) {
          console.log("waiting");
          await new Promise((resolve) => signal.addEventListener("abort", resolve));
          return new Response(new ReadableStream({ cancel: () => console.log("cancelled") }));
        },
      };`,
  };
  await using agent = await startConfigured({ keys: { http: { app: "./late.ts:app" } }, files });
  const client = new AbortController();
  const response = fetch(`${agent.url}/late`, { signal: client.signal });
  await until(async () => agent.lines.includes("waiting"));
  client.abort();
  await expect(response).rejects.toThrow();
  await until(async () => agent.lines.includes("cancelled"));
});
