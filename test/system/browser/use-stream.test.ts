import type { Page } from "puppeteer-core";
import { expect, test } from "vitest";
import { openPage, skipReason } from "../../kit/browser/browser.ts";
import { startChatPage } from "../../kit/browser/chat-page.ts";

const said = "My teapot arrived broken.";
const found = "Order 1042: a teapot, 59 EUR, arrived broken.";
const policy = "The policy: whatever arrives broken is refunded.";

const textsOf = (page: Page, selector: string) =>
  page.$$eval(selector, (elements) => elements.map(({ textContent }) => textContent));

/** Sends the message and waits for the graph's question. */
async function ask(page: Page): Promise<void> {
  await page.locator("form button").click();
  await page.waitForSelector("section button");
}

/** Presses a button of the question, and waits for the graph's last message. */
async function resume(page: Page, label: string, expected: string): Promise<void> {
  await page.locator(`section ::-p-text(${label})`).click();
  await page.waitForSelector(`li:last-child::-p-text(${expected})`);
  await page.waitForSelector("section", { hidden: true });
}

/** Records the texts of the last message and of the subgraph's, whenever something changes. */
const recordTexts = (page: Page) =>
  page.evaluate(`
    globalThis.recorded = new Set();
    new MutationObserver(() => {
      for (const { textContent } of document.querySelectorAll("li:last-child, q")) recorded.add(textContent);
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  `);

const recordedTexts = (page: Page) => page.evaluate("[...recorded]") as Promise<string[]>;

for (const transport of ["sse", "websocket"]) {
  test.skipIf(skipReason)(
    `a page of React streams messages, tools, a subgraph and an interrupt over ${transport}${skipReason}`,
    async () => {
      await using served = await startChatPage();
      await using browser = await openPage();
      const { page } = browser;
      await page.goto(served.addressOf(transport));
      await recordTexts(page);
      await ask(page);
      expect(await textsOf(page, "li")).toEqual([said, found, policy]);
      expect(await textsOf(page, "aside p")).toEqual([
        "Tool find_order: finished",
        `Subgraph policy: complete ${policy}`,
      ]);
      expect(await textsOf(page, "section")).toEqual(["Refund 59 EUR?YesNo"]);
      const refunded = "I have refunded 59 EUR.";
      await resume(page, "Yes", refunded);
      expect(await textsOf(page, "li")).toEqual([said, found, policy, refunded]);
      // Both the subgraph's message and the graph's own arrive in pieces.
      const texts = await recordedTexts(page);
      for (const whole of [policy, refunded]) {
        expect(texts.filter((text) => text !== whole && text !== "" && whole.startsWith(text)).length).toBeGreaterThan(
          2,
        );
      }
      expect(browser.complaints).toEqual([]);
      expect(browser.elsewhere).toEqual([]);
    },
  );
}

test.skipIf(skipReason)(`a page that is loaded again continues where it was${skipReason}`, async () => {
  await using served = await startChatPage();
  await using browser = await openPage();
  const { page } = browser;
  await page.goto(served.addressOf("sse"));
  await page.locator("form button").click();
  // In the middle of the subgraph's message, and again with the question.
  for (const selector of ["q::-p-text(The policy)", "section"]) {
    await page.waitForSelector(selector);
    await page.reload();
  }
  await page.waitForSelector("section");
  expect(await textsOf(page, "li")).toEqual([said, found, policy]);
  const refused = "I'm sorry, there is no refund.";
  await resume(page, "No", refused);
  expect(await textsOf(page, "li")).toEqual([said, found, policy, refused]);
  expect(browser.complaints).toEqual([]);
});
