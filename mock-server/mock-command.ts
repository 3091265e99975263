import { Command, InvalidArgumentError, Option } from "commander";
import type { TransitionMode } from "./control-plane/rollout.ts";
import { parseTransitionMode } from "./control-plane/transition-settings.ts";
import { type MockServer, startMockServer } from "./server.ts";

interface MockFlags {
  port: number;
  host: string;
  apiKey?: Record<string, string[]>;
  transitions: TransitionMode;
  publicUrl?: string;
  seed?: number;
  strict: boolean;
  logFormat: "pretty" | "json";
  adminToken?: string;
}

/** Reads a port. @throws {InvalidArgumentError} for anything but 0 to 65535. */
export function readPort(value: string): number {
  const port = Number(value);
  if (!/^\d+$/.test(value) || port > 65535) throw new InvalidArgumentError("A port is a number from 0 to 65535.");
  return port;
}

function readSeed(value: string): number {
  if (!/^-?\d+$/.test(value)) throw new InvalidArgumentError("A seed is a whole number.");
  return Number(value);
}

function readTransitions(value: string): TransitionMode {
  try {
    return parseTransitionMode(value);
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}

function readUrl(value: string): string {
  if (!URL.canParse(value) || !/^https?:/.test(value)) {
    throw new InvalidArgumentError("A public URL begins with http:// or https://.");
  }
  return value;
}

function collectKey(value: string, keys: Record<string, string[]> = {}): Record<string, string[]> {
  const separator = value.lastIndexOf("=");
  const key = separator < 0 ? value : value.slice(0, separator);
  if (key === "") throw new InvalidArgumentError("The key is missing: write KEY or KEY=WORKSPACE,WORKSPACE.");
  const workspaces =
    separator < 0
      ? []
      : value
          .slice(separator + 1)
          .split(",")
          .filter((id) => id !== "");
  return { ...keys, [key]: [...(keys[key] ?? []), ...workspaces] };
}

/** The `mock` command. `run` is what it does with the server once it listens. */
export function mockCommand(run: (server: MockServer) => void): Command {
  return new Command("mock")
    .description("Run a mock of the control plane and of the deployments' agent servers.")
    .option("--port <port>", "port to listen on; 0 picks a free one", readPort, 8124)
    .option("--host <host>", "address to listen on", "127.0.0.1")
    .option(
      "--api-key <key>",
      "a key to accept, and its workspaces: KEY or KEY=WORKSPACE,WORKSPACE (repeatable)",
      collectKey,
    )
    .option(
      "--transitions <mode>",
      "how revisions move: immediate, manual or time:<duration>",
      readTransitions,
      "time:5s",
    )
    .option("--public-url <url>", "address that clients reach the server by", readUrl)
    .option("--seed <number>", "make identifiers the same in every run", readSeed)
    .option("--strict", "refuse what servers usually forgive, such as a missing X-Tenant-Id", false)
    .addOption(new Option("--log-format <format>", "what is printed").choices(["pretty", "json"]).default("pretty"))
    .addOption(
      new Option("--admin-token <token>", "token that the admin API asks for").env("GRAPHDEPLOY_MOCK_ADMIN_TOKEN"),
    )
    .action(async (flags: MockFlags) => {
      const { apiKey, logFormat, ...rest } = flags;
      const server = await startMockServer({ ...rest, ...(apiKey ? { apiKeys: apiKey } : {}), logFormat });
      announce(server, flags);
      run(server);
    });
}

function announce(server: MockServer, { logFormat, apiKey, transitions }: MockFlags): void {
  const { url, selfHostedUrl } = server;
  if (logFormat === "json") {
    const line = { event: "listening", url, self_hosted_url: selfHostedUrl, docs: `${url}/docs`, transitions };
    process.stdout.write(`${JSON.stringify(line)}\n`);
    return;
  }
  const keys = apiKey ? `${Object.keys(apiKey).length} accepted` : "any that isn't empty";
  process.stdout.write(
    [
      `Cloud control plane        ${url}`,
      `Self-hosted control plane  ${selfHostedUrl}`,
      `API reference              ${url}/docs`,
      `API keys                   ${keys}`,
      `Transitions                ${transitions}`,
      "",
    ].join("\n"),
  );
}
