import { delimiter, dirname } from "node:path";
import { afterAll, expect, test } from "vitest";
import { createGraphAgentServer } from "../../../mock-server/agent-server/graph-agent-server.ts";
import { startDevServer } from "../../../mock-server/dev-server.ts";
import { chat } from "../../../mock-server/graphs/chat.ts";
import { failure } from "../../../mock-server/graphs/failure.ts";
import { subgraph } from "../../../mock-server/graphs/subgraph.ts";
import { type NpmPackages, npmPackages } from "../../kit/npm-packages.ts";
import { type Ended, run } from "../../kit/python/run.ts";

/** `npm run test:long` installs the programs, which are larger than everything else that the tests need. */
const programs: NpmPackages =
  process.env.GRAPHDEPLOY_MCP_PROGRAMS === undefined
    ? { missing: "npm run test:long runs it" }
    : await npmPackages("@modelcontextprotocol/inspector@2.12.0", "@modelcontextprotocol/conformance@0.1.16");
const suffix = programs.missing === undefined ? "" : ` (skipped: ${programs.missing})`;

// The suite calls tools of these names.
const graphs = [
  { ...chat, id: "echo" },
  { ...failure, id: "test_error_handling" },
  { ...subgraph, id: "test_tool_with_progress" },
];
const server = await startDevServer(0, "127.0.0.1", createGraphAgentServer({ graphs }));
afterAll(() => server[Symbol.asyncDispose]());

function runProgram(name: string, ...args: string[]): Promise<Ended> {
  if (programs.missing !== undefined) throw new Error(programs.missing);
  // The programs run with the Node.js of the tests.
  const path = dirname(process.execPath) + delimiter + process.env.PATH;
  return run(programs.program(name), args, { env: { PATH: path } });
}

test
  .skipIf(programs.missing !== undefined)
  .each([
    "server-initialize",
    "ping",
    "tools-list",
    "tools-call-error",
    "tools-call-with-progress",
    "server-sse-multiple-streams",
    "dns-rebinding-protection",
  ])(`the protocol's conformance suite: %s${suffix}`, async (scenario) => {
  const { code, output } = await runProgram(
    "conformance",
    "server",
    "--url",
    `${server.url}/mcp`,
    "--scenario",
    scenario,
  );
  expect(code, output).toBe(0);
  expect(output).not.toContain("✗");
});

test.skipIf(programs.missing !== undefined)(`the inspector lists and calls a tool${suffix}`, async () => {
  const inspect = async (...args: string[]) => {
    const { code, output } = await runProgram(
      "mcp-inspector",
      "--cli",
      `${server.url}/mcp`,
      "--transport",
      "http",
      ...args,
    );
    expect(code, output).toBe(0);
    return JSON.parse(/^\{.*?^\}$/ms.exec(output)?.[0] ?? "null");
  };
  const { tools } = await inspect("--method", "tools/list");
  expect(tools[0]).toMatchObject({ name: "echo", inputSchema: { type: "object" } });
  const messages = JSON.stringify([{ role: "user", content: "hello" }]);
  const { structuredContent } = await inspect(
    ...["--method", "tools/call", "--tool-name", "echo", "--tool-arg", `messages=${messages}`],
  );
  expect(structuredContent.messages.at(-1)).toMatchObject({ content: "Echo: hello" });
});
