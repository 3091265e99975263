import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { startConfigured } from "../../kit/agent-server/compiled/configured-project.ts";
import { openPage, skipReason } from "../../kit/browser/browser.ts";

/** The script of a page that shows a component with the official client. */
async function pageScript(apiUrl: string): Promise<string> {
  const contents = `
    import { Client } from "@langchain/langgraph-sdk";
    import { LoadExternalComponent } from "@langchain/langgraph-sdk/react-ui";
    import { createElement } from "react";
    import { createRoot } from "react-dom/client";

    const stream = { client: new Client({ apiUrl: ${JSON.stringify(apiUrl)} }), assistantId: "agent" };
    const message = { type: "ui", id: "1", name: "counter", props: { start: 3 } };
    createRoot(document.getElementById("root")).render(createElement(LoadExternalComponent, { stream, message }));`;
  const resolveDir = fileURLToPath(new URL(".", import.meta.url));
  const { outputFiles } = await build({
    stdin: { contents, resolveDir },
    bundle: true,
    write: false,
    platform: "browser",
    logLevel: "silent",
  });
  return outputFiles[0]?.text ?? "";
}

/** Serves the page, on another origin than the agent server's. */
async function startPage(apiUrl: string): Promise<AsyncDisposable & { url: string }> {
  const script = await pageScript(apiUrl);
  const html = '<!doctype html><link rel="icon" href="data:,"><div id="root"></div><script src="/page.js"></script>';
  const server = createServer(({ url }, response) => {
    const isScript = url === "/page.js";
    response.writeHead(200, { "content-type": isScript ? "text/javascript" : "text/html" });
    response.end(isScript ? script : html);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

test.skipIf(skipReason)(
  `the official client shows a component of a project, with its state and styles, on a page elsewhere${skipReason}`,
  async () => {
    await using agent = await startConfigured({
      fixture: "generative-ui",
      keys: { ui: { agent: "./components.tsx" } },
    });
    await using shown = await startPage(agent.url);
    await using browser = await openPage();
    const { page } = browser;
    await page.goto(shown.url);
    // Pierces the shadow root that the client puts the component into.
    const button = await page.waitForSelector(">>> button");
    const textOf = () => button?.evaluate(({ textContent }) => textContent);
    expect(await textOf()).toBe("Pressed 3 times");
    await button?.click();
    await page.waitForFunction((element) => element?.textContent === "Pressed 4 times", {}, button);
    const card = "document.querySelector('#root > div').shadowRoot.querySelector('.card')";
    expect(await page.evaluate(`getComputedStyle(${card}).borderTopWidth`)).toBe("7px");
    expect(browser.complaints).toEqual([]);
  },
);
