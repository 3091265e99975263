import { spawnSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startDevServer } from "../../../mock-server/dev-server.ts";
import { startMockServer } from "../../../mock-server/server.ts";
import { findChromium } from "../../../scripts/get-chromium.ts";
import { skipReason } from "../../kit/browser/browser.ts";
import { checkout } from "../../kit/pulumi/command-line.ts";
import { type Ended, run } from "../../kit/python/run.ts";
import { virtualEnvironment } from "../../kit/python/virtual-environment.ts";

const [mockPage, agentPage] = await Promise.all(
  ["docs/guides/mock-server.md", "docs/guides/agent-server.md"].map((page) => readFile(join(checkout, page), "utf8")),
);
const pytest = await virtualEnvironment("pytest==8.4.2");
const noPytest = pytest.missing === undefined ? "" : ` (skipped: ${pytest.missing})`;
const noCurl = spawnSync("curl", ["--version"]).error ? " (skipped: curl isn't there)" : "";

/** The page's only code block that contains `part`. */
function block(page: string | undefined, part: string): string {
  const blocks = [...(page ?? "").matchAll(/```\w+\n([\s\S]*?)```/g)].map(([, code]) => code as string);
  const found = blocks.filter((code) => code.includes(part));
  expect(found, part).toHaveLength(1);
  return found[0] as string;
}

/** A folder in which `npx graphdeploy` runs this checkout's command, removed at the end of the test. */
async function workFolder(): Promise<AsyncDisposable & { path: string; env: Record<string, string> }> {
  const path = await mkdtemp(join(tmpdir(), "recipe-"));
  const bin = join(path, "bin");
  await mkdir(bin);
  const command = `exec "${process.execPath}" "${join(checkout, "cli/main.ts")}" "$@"`;
  await writeFile(join(bin, "npx"), `#!/bin/sh\nshift\n${command}\n`);
  await chmod(join(bin, "npx"), 0o755);
  return {
    path,
    env: { PATH: `${bin}:${process.env.PATH}` },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const shell = (script: string, options: Parameters<typeof run>[2] = {}): Promise<Ended> =>
  run("sh", ["-ec", script], options);

test("a server starts with the settings of the configuration file in the docs", async () => {
  await using folder = await workFolder();
  await writeFile(join(folder.path, "mock.yaml"), block(mockPage, "api_keys: { the-key"));
  const script = `
    npx graphdeploy mock --port 0 --config mock.yaml --log-format json > mock.log &
    server=$!
    until grep -q listening mock.log; do sleep 0.1; done
    url=$(sed -n 's/.*"event":"listening","url":"\\([^"]*\\)".*/\\1/p' mock.log)
    curl -s "$url/v2/deployments" -H 'x-api-key: the-key'
    kill $server; wait $server`;
  const { output } = await shell(script, { cwd: folder.path, env: folder.env });
  expect(output).toContain('"name":"agent-3"');
  expect(output).toContain('"tenant_id":"workspace-1"');
});

test.skipIf(noCurl)(`the recipe for CI starts a server and waits until it responds${noCurl}`, async () => {
  await using folder = await workFolder();
  const port = await freePort();
  const [, indented = ""] = /- run: \|\n([\s\S]*)/.exec(block(mockPage, "timeout 30")) ?? [];
  const recipe = indented.replaceAll("8124", String(port));
  const { code, output } = await shell(`${recipe}\ncurl -s http://127.0.0.1:${port}/_mock/health; kill $!`, {
    cwd: folder.path,
    env: folder.env,
  });
  expect(output).toContain('{"ok":true}');
  expect(code).toBe(0);
});

test.skipIf(noPytest)(`the fixture for pytest gives a test a server${noPytest}`, async () => {
  if (pytest.missing !== undefined) throw new Error(pytest.missing);
  await using folder = await workFolder();
  const use = `
import urllib.request

def test_is_up(mock_url):
    assert json.load(urllib.request.urlopen(mock_url + "/_mock/health")) == {"ok": True}
`;
  await writeFile(join(folder.path, "test_recipe.py"), block(mockPage, "def mock_url") + use);
  const { code, output } = await run(pytest.command("pytest"), ["-q"], { cwd: folder.path, env: folder.env });
  expect(output).toContain("1 passed");
  expect(code).toBe(0);
});

test.skipIf(noCurl)(
  `the commands for faults, the auth flow and logs get the responses in the docs${noCurl}`,
  async () => {
    await using mock = await startMockServer({ port: 0, transitions: "immediate" });
    const { deployments } = await mock.seed({ deployments: [{ name: "recipe", source: "internal_source" }] });
    await shell(block(mockPage, "/_mock/faults"), { env: { mock: mock.url } });
    expect(mock.faults.list()).toMatchObject([{ nth: 3, effect: { status: 503 } }]);

    const auth = block(mockPage, "mcp-discover").replace("http://127.0.0.1:8124", mock.url);
    const { output } = await shell(auth);
    expect(output).toMatch(/"status":"pending"/);
    expect(output).toContain(`"url":"${mock.url}`);

    const logs = await shell(block(mockPage, "deploy_logs"), {
      env: { mock: mock.url, deployment: deployments[0]?.id ?? "" },
    });
    expect(JSON.parse(logs.output)).toMatchObject({ logs: [] });
  },
);

test.skipIf(noCurl)(`the commands for an agent server get responses from its graphs${noCurl}`, async () => {
  await using server = await startDevServer(0);
  const [, ...requests] = block(agentPage, "/runs/wait").trim().split("\n");
  const { output } = await shell(requests.join("\n").replaceAll("http://127.0.0.1:2024", server.url));
  expect(output).toContain('"content":"hello"');
  expect(output.match(/event: custom/g)).toHaveLength(3);
});

test.skipIf(skipReason)(`the test for Playwright passes in a browser${skipReason}`, async () => {
  const chromium = findChromium();
  if (!("path" in chromium)) throw new Error(chromium.reason);
  await using folder = await workFolder();
  const packages = join(folder.path, "node_modules");
  await mkdir(packages);
  await symlink(checkout, join(packages, "graphdeploy"));
  await symlink(join(checkout, "node_modules/@playwright"), join(packages, "@playwright"));
  await writeFile(join(folder.path, "consent.spec.ts"), block(mockPage, "@playwright/test"));
  const launchOptions = { executablePath: chromium.path, args: ["--no-sandbox", "--disable-dev-shm-usage"] };
  const config = { reporter: "line", use: { launchOptions } };
  await writeFile(join(folder.path, "playwright.config.ts"), `export default ${JSON.stringify(config)};`);
  const { code, output } = await run(process.execPath, [join(packages, "@playwright/test/cli.js"), "test"], {
    cwd: folder.path,
  });
  expect(output).toContain("1 passed");
  expect(code).toBe(0);
});
