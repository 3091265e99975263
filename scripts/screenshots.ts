// Takes the screenshots of the documentation: the agent server's reference page, used in a headless browser.
import { join } from "node:path";
import { launch, type Page } from "puppeteer-core";
import { startDevServer } from "../mock-server/dev-server.ts";
import { getChromium } from "./get-chromium.ts";
import { checkout } from "./run-command.ts";

const chromium = await getChromium((line) => process.stderr.write(`chromium: ${line}\n`));
if (!("path" in chromium)) {
  process.stderr.write(`No screenshot was taken: ${chromium.reason}.\n`);
  process.exit(1);
}

async function runOnce(page: Page): Promise<void> {
  const block = await page.waitForSelector(".opblock-get[id$=get_info_get], .opblock-get[id$=info]");
  await (await block?.$(".opblock-summary-control"))?.click();
  await (await block?.waitForSelector(".try-out__btn"))?.click();
  await (await block?.waitForSelector(".execute"))?.click();
  await block?.waitForSelector(".live-responses-table");
  await block?.evaluate((shown) => shown.scrollIntoView());
}

await using server = await startDevServer(0);
const browser = await launch({ executablePath: chromium.path, headless: true, args: ["--no-sandbox"] });
try {
  const page = await browser.newPage();
  await page.setViewport({ width: 1100, height: 760 });
  await page.goto(`${server.url}/docs`, { waitUntil: "networkidle0" });
  await page.screenshot({ path: join(checkout, "docs/images/agent-server-reference.png") });
  await runOnce(page);
  await page.screenshot({ path: join(checkout, "docs/images/agent-server-reference-used.png") });
} finally {
  await browser.close();
}
