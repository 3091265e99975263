import type { ElementHandle, Page } from "puppeteer-core";
import { expect, test } from "vitest";
import { startAgent } from "../../kit/agent-server/agent.ts";
import { openPage, skipReason, type TestPage } from "../../kit/browser/browser.ts";
import { githubBody, startForTest } from "../../kit/mock-server/api.ts";

/** Opens a reference page and waits until it shows its operations. */
async function openReference(browser: TestPage, url: string): Promise<Page> {
  await browser.page.setViewport({ width: 1280, height: 900 });
  await browser.page.goto(url);
  await browser.page.waitForSelector(".opblock");
  return browser.page;
}

/**
 * Presses "Try it out" and "Execute" for one operation, and returns the status and text of the response on the page.
 */
async function tryOut(page: Page, method: string, path: string, requestBody?: object) {
  const block = await operation(page, method, path);
  await (await block.$(".opblock-summary-control"))?.click();
  await (await block.waitForSelector(".try-out__btn"))?.click();
  if (requestBody !== undefined) {
    const area = await block.waitForSelector("textarea.body-param__text");
    await area?.click();
    await area?.evaluate((shown) => shown.select());
    await page.keyboard.sendCharacter(JSON.stringify(requestBody));
  }
  await (await block.waitForSelector(".execute"))?.click();
  await block.waitForSelector(".live-responses-table tbody .response-col_status");
  const shown = (column: string) =>
    block.$eval(`.live-responses-table tbody .response-col_${column}`, (cell) => String(cell.textContent));
  return { status: (await shown("status")).slice(0, 3), text: await shown("description") };
}

async function operation(page: Page, method: string, path: string): Promise<ElementHandle> {
  for (const block of await page.$$(`.opblock-${method}`)) {
    // The page puts zero-width spaces into paths to allow line breaks.
    const shown = await block.$eval(".opblock-summary-path", (name) =>
      String(name.textContent).replaceAll("\u200b", ""),
    );
    if (shown === path) return block;
  }
  throw new Error(`The page shows no ${method} ${path}.`);
}

test.skipIf(skipReason)(
  `the agent server's reference page works offline and can start a run${skipReason}`,
  async () => {
    await using agent = await startAgent();
    await using browser = await openPage();
    const page = await openReference(browser, `${agent.url}/docs`);
    const { status, text } = await tryOut(page, "post", "/runs/wait", {
      assistant_id: "chat",
      input: { messages: [{ role: "user", content: "Good day" }] },
    });
    expect({ status, text }).toEqual({ status: "200", text: expect.stringContaining("Good day") });
    expect(browser.elsewhere).toEqual([]);
    expect(browser.complaints).toEqual([]);
  },
);

test.skipIf(skipReason)(`a deployment's reference page calls its own agent server${skipReason}`, async () => {
  await using mock = await startForTest();
  const { body: deployment } = await mock.cloud("POST", "/v2/deployments", githubBody());
  await using browser = await openPage();
  const page = await openReference(browser, `${mock.url}/agents/${deployment.id}/docs`);
  const { status, text } = await tryOut(page, "get", "/info");
  expect({ status, text }).toEqual({ status: "200", text: expect.stringContaining(deployment.id) });
  expect(browser.elsewhere).toEqual([]);
});

test.skipIf(skipReason).each([
  ["cloud", ""],
  ["self-hosted", "/api-host"],
])(
  `the control plane's reference page of the %s edition works offline and sends the entered key${skipReason}`,
  async (_, prefix) => {
    await using mock = await startForTest();
    await using browser = await openPage();
    const page = await openReference(browser, `${mock.url}${prefix}/docs`);
    const path = `${prefix}/v2/deployments`;
    await (await page.waitForSelector(".btn.authorize"))?.click();
    const field = await page.waitForSelector(".auth-container input[type=text], .auth-container input[type=password]");
    await field?.type("a-key");
    await page.click(".auth-btn-wrapper .authorize");
    await page.click(".btn-done");
    const { status, text } = await tryOut(page, "get", "/v2/deployments");
    expect({ status, text }).toEqual({ status: "200", text: expect.stringContaining("resources") });
    expect(mock.requests({ path, method: "GET" })).toMatchObject([
      { request: { headers: { "x-api-key": "[redacted]" } } },
    ]);
    expect(browser.elsewhere).toEqual([]);
    expect(browser.complaints).toEqual([]);
  },
);
