import { type Browser, launch, type Page } from "puppeteer-core";
import { findChromium } from "../../../scripts/get-chromium.ts";

const found = findChromium();

/** What a test's name ends with where there is no browser; empty where there is one. */
export const skipReason =
  "path" in found ? "" : ` (skipped: ${process.env.GRAPHDEPLOY_CHROMIUM_REASON ?? found.reason})`;

/** A page of a browser of its own, and what it did. */
export interface TestPage extends AsyncDisposable {
  page: Page;
  /** The addresses asked for that aren't on this machine, `data:` and the like aside. */
  readonly elsewhere: string[];
  /** What the page reported as wrong: errors of its scripts, and what its policy refused. */
  readonly complaints: string[];
}

/** Opens a page in a headless browser that reaches nothing but this machine. @throws {Error} where there is no browser. */
export async function openPage(): Promise<TestPage> {
  if (!("path" in found)) throw new Error(found.reason);
  const browser: Browser = await launch({
    executablePath: found.path,
    headless: true,
    args: [
      // Root, as in most containers, can't use the sandbox.
      "--no-sandbox",
      "--disable-dev-shm-usage",
      "--disable-background-networking",
      "--disable-component-update",
      "--no-first-run",
      // Whatever isn't this machine can't even be looked up.
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
