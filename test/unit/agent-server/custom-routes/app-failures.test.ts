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
