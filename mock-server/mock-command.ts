import { Command, InvalidArgumentError, Option } from "commander";
import { readMockConfig } from "./config-file.ts";
import type { TransitionMode } from "./control-plane/rollout.ts";
import { parseTransitionMode } from "./control-plane/transition-settings.ts";
import { besideBuiltIn } from "./graphs/built-in-graphs.ts";
import { readGraphs } from "./graphs/declared/read-graphs.ts";
import { parseRepositoryFolder } from "./project/repository-folders.ts";
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
  allowOutbound?: string[];
  config?: string;
  graphs?: string;
  repo?: Record<string, string>;
  runUploads: boolean;
}

/** What `--graphs` takes. */
export const graphsOption = "YAML or JSON file with scripted graphs, or a module that exports them";

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

function collectRepository(value: string, folders: Record<string, string> = {}): Record<string, string> {
  try {
    const [url, folder] = parseRepositoryFolder(value);
    return { ...folders, [url]: folder };
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
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
    .option(
      "--config <file>",
      "YAML or JSON file with integrations, listeners, deployments, transitions, faults, keys and graphs",
    )
    .option("--graphs <file>", graphsOption)
    .option(
      "--repo <url>=<folder>",
      "run the graphs of this folder in deployments of that repository (repeatable)",
      collectRepository,
    )
    .option("--run-uploads", "run the code of uploaded tarballs", false)
    .option(
      "--allow-outbound <host>",
      "a host beyond loopback that the server may call; * and ? are wild (repeatable)",
      (host: string, hosts: string[] = []) => [...hosts, host],
    )
    .option(
      "--strict",
      "refuse what servers usually forgive: no X-Tenant-Id, unknown fields, an unknown integration",
      false,
    )
    .addOption(new Option("--log-format <format>", "what is printed").choices(["pretty", "json"]).default("pretty"))
    .addOption(
      new Option("--admin-token <token>", "token that the admin API asks for").env("GRAPHDEPLOY_MOCK_ADMIN_TOKEN"),
    )
    .action(async (flags: MockFlags) => {
      const { apiKey, logFormat, config: file, graphs: graphsFile, repo, runUploads, ...rest } = flags;
      const config = file === undefined ? {} : await readMockConfig(file);
      const {
        integrations = [],
        transitions,
        faults = [],
        api_keys: configuredKeys,
        allow_outbound: hosts = [],
        graphs: declared = [],
      } = config;
      const more = graphsFile === undefined ? [] : await readGraphs(graphsFile, besideBuiltIn(declared));
      const apiKeys = apiKey || configuredKeys ? { ...configuredKeys, ...apiKey } : undefined;
      const server = await startMockServer({
        ...rest,
        ...(apiKeys ? { apiKeys } : {}),
        allowOutbound: [...hosts, ...(flags.allowOutbound ?? [])],
        integrations,
        repositories: { ...config.repositories, ...repo },
        runUploads: runUploads || config.run_uploads === true,
        graphs: [...declared.filter(({ id }) => !more.some((graph) => graph.id === id)), ...more],
        logFormat,
      });
      try {
        if (transitions) server.transitions.set(transitions);
        server.faults.add(...faults);
        await server.seed({ listeners: config.listeners, deployments: config.deployments });
      } catch (error) {
        await server.close();
        throw new RangeError(`${file}: ${(error as Error).message.replace(/\.$/, "")}`);
      }
      announce(server, logFormat, apiKeys ? Object.keys(apiKeys).length : null);
      run(server);
    });
}

function announce(server: MockServer, logFormat: MockFlags["logFormat"], keyCount: number | null): void {
  const transitions = server.transitions.get().mode;
  const { url, selfHostedUrl } = server;
  if (logFormat === "json") {
    const line = { event: "listening", url, self_hosted_url: selfHostedUrl, docs: `${url}/docs`, transitions };
    process.stdout.write(`${JSON.stringify(line)}\n`);
    return;
  }
  const keys = keyCount === null ? "any that isn't empty" : `${keyCount} accepted`;
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
