import { Command, InvalidArgumentError, Option } from "commander";
import { parseRepositoryFolder } from "./builds/repository-folders.ts";
import { allowHostOption, graphsOption, readHost, readPort, workerMemoryOption } from "./command-options.ts";
import type { TransitionMode } from "./control-plane/revisions/rollout.ts";
import { parseTransitionMode } from "./control-plane/revisions/transition-settings.ts";
import { readPublicUrl } from "./public-url.ts";
import type { MockServer } from "./server.ts";
import type { MockFlags } from "./start-mock.ts";

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
  try {
    return readPublicUrl(value);
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
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

/** The `mock` command. Calls `run` once the server listens. */
export function mockCommand(run: (server: MockServer) => void): Command {
  return new Command("mock")
    .description("Run a mock of the control plane and of the deployments' agent servers.")
    .option("--port <port>", "port to listen on; 0 picks a free one", readPort, 8124)
    .option("--host <host>", "address to listen on", readHost, "127.0.0.1")
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
    .addOption(allowHostOption)
    .option("--tls-cert <file>", "serve https with this certificate (PEM); needs --tls-key")
    .option("--tls-key <file>", "the private key of --tls-cert (PEM)")
    .option("--public-url <url>", "URL at which clients reach the server", readUrl)
    .option("--seed <number>", "generate the same identifiers in every run", readSeed)
    .option(
      "--config <file>",
      "YAML or JSON file with integrations, listeners, deployments, transitions, faults, keys and graphs",
    )
    .option("--data-dir <folder>", "store state in this folder, so that a later start continues from it")
    .option("--graphs <file>", graphsOption)
    .option(
      "--repo <url>=<folder>",
      "run the graphs of this folder in deployments of the repository (repeatable)",
      collectRepository,
    )
    .option("--run-uploads", "run the code of uploaded tarballs", false)
    .addOption(workerMemoryOption)
    .option(
      "--allow-outbound <host>",
      "a host beyond loopback that the server may call; * and ? are wildcards (repeatable)",
      (host: string, hosts: string[] = []) => [...hosts, host],
    )
    .option(
      "--strict",
      "refuse requests without X-Tenant-Id, with unknown fields or with an unknown integration",
      false,
    )
    .addOption(
      new Option("--log-format <format>", "format of the output").choices(["pretty", "json"]).default("pretty"),
    )
    .addOption(
      new Option("--admin-token <token>", "token that the admin API requires").env("GRAPHDEPLOY_MOCK_ADMIN_TOKEN"),
    )
    .action(async (flags: MockFlags) => {
      // Imported on demand, since other commands don't need it.
      const { startMock } = await import("./start-mock.ts");
      run(await startMock(flags));
    });
}
