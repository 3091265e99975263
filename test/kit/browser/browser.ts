import { type Browser, launch, type Page } from "puppeteer-core";
import { findChromium } from "../../../scripts/get-chromium.ts";

const found = findChromium();

/** A suffix for test titles: why there is no browser, or empty if there is one. */
export const skipReason =
  "path" in found ? "" : ` (skipped: ${process.env.GRAPHDEPLOY_CHROMIUM_REASON ?? found.reason})`;

/** A page in its own browser, with a record of what it did. */
export interface TestPage extends AsyncDisposable {
  page: Page;
  /** Requested addresses that aren't on this machine, except `data:` URLs and the like. */
  readonly elsewhere: string[];
  /** Errors that the page reported: exceptions of its scripts, and violations of its content security policy. */
  readonly complaints: string[];
}

/** Opens a page in a headless browser that can reach only this machine. @throws {Error} if there is no browser */
export async function openPage(): Promise<TestPage> {
  if (!("path" in found)) throw new Error(found.reason);
  const browser: Browser = await launch({
    executablePath: found.path,
    headless: true,
    args: [
      // The sandbox doesn't work for root, which most containers run as.
      "--no-sandbox",
      "--disable-dev-shm-usage",
      "--disable-background-networking",
      "--disable-component-update",
      "--no-first-run",
      // Host names other than those of this machine don't even resolve.
      "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
    ],
  });
  const page = await browser.newPage();
  const elsewhere: string[] = [];
  const complaints: string[] = [];
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (/^(https?|wss?):$/.test(url.protocol) && url.hostname !== "127.0.0.1") elsewhere.push(url.href);
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  return { page, elsewhere, complaints, [Symbol.asyncDispose]: () => browser.close() };
}
