// `npm run pictures [-- <name>…]`: makes the pictures of the documentation, or those named. The agent server's reference
// page and a tutorial's chat page are used in a headless browser; a rollout in a terminal comes from the real Pulumi CLI, an apply from the command.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { launch, type Page } from "puppeteer-core";
import { startDevServer } from "../mock-server/dev-server.ts";
import { startMockServer } from "../mock-server/server.ts";
import { startChatPage } from "../test/kit/browser/chat-page.ts";
import { createCommandProject } from "../test/kit/cli/command.ts";
import { runInTerminal, type TerminalLine } from "../test/kit/cli/terminal.ts";
import { createPulumiProject } from "../test/kit/pulumi/cli.ts";
import { buildPackageIfStale } from "./build-package.ts";
import { getChromium } from "./get-chromium.ts";
import { getPulumi } from "./get-pulumi.mjs";
import { checkout } from "./run-command.ts";
import { terminalPicture } from "./terminal-picture.ts";

function isMissing(picture: string, reason: string): void {
  process.stderr.write(`${picture} wasn't made: ${reason}.\n`);
  process.exitCode = 1;
}

async function referencePictures(): Promise<void> {
  const chromium = await getChromium((line) => process.stderr.write(`chromium: ${line}\n`));
  if (!("path" in chromium)) return isMissing("The agent server's reference page", chromium.reason);
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
}

async function runOnce(page: Page): Promise<void> {
  const block = await page.waitForSelector(".opblock-get[id$=get_info_get], .opblock-get[id$=info]");
  await (await block?.$(".opblock-summary-control"))?.click();
  await (await block?.waitForSelector(".try-out__btn"))?.click();
  await (await block?.waitForSelector(".execute"))?.click();
  await block?.waitForSelector(".live-responses-table");
  await block?.evaluate((shown) => shown.scrollIntoView());
}

/** Pictures of the quick start's `pulumi up`: one that goes live, and one whose build fails. */
async function rolloutPicture(): Promise<void> {
  await buildPackageIfStale();
  const cli = await getPulumi({ log: (line) => process.stderr.write(`pulumi: ${line}\n`) });
  if (!("path" in cli)) return isMissing("The rollout in a terminal", cli.reason);
  await using mock = await startMockServer({ port: 0, transitions: "time:20s" });
  await using project = await createPulumiProject({
    cli: cli.path,
    kind: "typescript",
    program: await readFile(join(checkout, "examples/pulumi-quickstart/index.ts"), "utf8"),
    environment: { GRAPHDEPLOY_BASE_URL: mock.url, GRAPHDEPLOY_API_KEY: "any-key" },
  });
  await project.setConfig("modelApiKey", "sk-example", { secret: true });
  const up = ["up", "--stack", project.stack, "--yes", "--skip-preview", "--suppress-outputs", "--color", "always"];
  const created = await project.run(...up);
  mock.transitions.set({
    mode: "time:10s",
    rules: [{ name: "*", fail: "BUILD_FAILED", logLines: ["npm error: no such package: agent-tools"] }],
  });
  await project.setConfig("ref", "next");
  const failed = await project.run(...up);
  const lines = [
    "$ pulumi up",
    ...rowsOf(created.stdout),
    "",
    "$ pulumi config set ref next && pulumi up",
    ...rowsOf(failed.stdout),
  ];
  await writeFile(
    join(checkout, "docs/images/rollout.svg"),
    terminalPicture("pulumi up, as it goes live and with a build that fails", lines),
  );
}

/** The part of an `up`'s output about the deployment: its rows without type and diff, the failure and the duration. */
function rowsOf(output: string): string[] {
  return output
    .replaceAll("pulumi-nodejs:dynamic/graphdeploy:Deployment ", "")
    .replaceAll(/\[diff: [^\]]*\](; )?/g, "")
    .replaceAll(/\t\* /g, "")
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => !/error occurred|update failed|Stack|:Deployment/.test(line))
    .filter((line) => /agent.*\(\d+s\)|failed|Revision |npm error|Duration/.test(line));
}

/** A picture of the second apply of a file: its plan, the table as it goes, and the end. */
async function applyPicture(): Promise<void> {
  await buildPackageIfStale();
  await using mock = await startMockServer({ port: 0, transitions: "immediate" });
  using project = createCommandProject(mock.url, { FORCE_COLOR: "1" });
  const write = (ref: string, level: string) =>
    project.write(
      "graphdeploy.yaml",
      `version: 1
defaults:
  source: github
  source_config: { repo_url: https://github.com/acme/agents, integration_id: integration-1 }
  source_revision_config: { repo_ref: main, graph_config_path: graph.json }
deployments:
  billing: {}
  search: { source_revision_config: { repo_ref: ${ref} } }
  support:
    depends_on: [search]
    env: { LOG_LEVEL: ${level} }
    secrets: { MODEL_API_KEY: "\${MODEL_API_KEY}" }
    assistants: { friendly: { graph_id: agent, context: { level: ${level} } } }
`,
    );
  write("main", "info");
  await project.run("apply", "--yes");
  write("next", "debug");
  mock.transitions.set({ mode: "time:12s" });
  let hasTyped = false;
  const { lines, frames } = await runInTerminal(project, { columns: 100 }, ["apply"], (output, type) => {
    if (hasTyped || !output.includes("Apply this plan?")) return;
    hasTyped = true;
    type("y\r");
  });
  const styled = (shown: readonly TerminalLine[]) => shown.map((line) => line.styled);
  const middle = frames.find((frame) => frame.some(({ text }) => /support .*BUILDING/.test(text))) ?? [];
  const end = lines.slice(lines.findIndex(({ text }) => text.includes("Apply this plan?")) + 1);
  const picture = terminalPicture("graphdeploy apply: the plan, the table as it goes, and the end", [
    "$ graphdeploy apply",
    ...styled(middle),
    "",
    ...styled(end),
  ]);
  await writeFile(join(checkout, "docs/images/apply.svg"), picture);
}

/** A picture of the tutorial's page, with the question of its graph. */
async function chatPagePicture(): Promise<void> {
  const chromium = await getChromium((line) => process.stderr.write(`chromium: ${line}\n`));
  if (!("path" in chromium)) return isMissing("The chat page", chromium.reason);
  await using served = await startChatPage();
  const browser = await launch({ executablePath: chromium.path, headless: true, args: ["--no-sandbox"] });
  try {
    const page = await browser.newPage();
    await page.setViewport({ width: 720, height: 400 });
    await page.goto(served.addressOf("sse"));
    await page.locator("form button").click();
    await page.waitForSelector("section button");
    await page.screenshot({ path: join(checkout, "docs/images/chat-page.png") });
  } finally {
    await browser.close();
  }
}

const pictures = { reference: referencePictures, rollout: rolloutPicture, apply: applyPicture, chat: chatPagePicture };
const named = process.argv.slice(2);
for (const [name, make] of Object.entries(pictures)) if (named.length === 0 || named.includes(name)) await make();
