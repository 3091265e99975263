import { type Command, InvalidArgumentError, Option } from "commander";
import { defaultFileNames } from "../core/declare/file/default-file.ts";
import { parseTimeout } from "../core/time.ts";

/** Where the control plane is, and as whom to connect. The key itself is never an argument: other users see those. */
export interface ConnectionFlags {
  baseUrl?: string;
  region?: string;
  workspaceId?: string;
  apiKeyEnv?: string;
}

/** Which file it is, wherever it is checked out, and which part of it. */
export interface FileFlags extends ConnectionFlags {
  environment?: string;
  preview?: number;
  repository?: string;
  root?: string;
}

export const fileArgument = ["[file]", `the file (default: ${defaultFileNames.join(", ")} in this folder)`] as const;

export const fileOption = () => new Option("--file <path>", `the file (default: ${defaultFileNames.join(", ")})`);

export const environmentOption = () => new Option("--environment <name>", "overlay of the file to merge");

export const jsonOption = (what: string) => new Option("--json", what).default(false);

/** The options of every command that connects to the control plane for a file. */
export function fileOptions(): Option[] {
  return [
    environmentOption(),
    new Option("--preview <number>", "the previews of this pull request, instead of the deployments").argParser(
      wholeNumber("A pull request"),
    ),
    new Option(
      "--repository <owner/name>",
      "repository of the file (default: GITHUB_REPOSITORY, or the remote origin)",
    ).argParser(repository),
    new Option("--root <folder>", "root of the repository (default: the folder above the file that has .git)"),
    new Option("--base-url <url>", "control plane of a self-hosted installation"),
    new Option("--region <region>", "region of the hosted service: us or eu"),
    new Option("--workspace-id <id>", "workspace, where the key has several"),
    new Option(
      "--api-key-env <name>",
      "environment variable with the API key (default: GRAPHDEPLOY_API_KEY and those of the service)",
    ),
  ];
}

export const onlyOption = () =>
  new Option("--only <keys>", "keys of deployments, separated by commas; no deployment is pruned then").argParser(
    (value: string, before: string[] = []) => [...before, ...keys(value)],
  );

export const yesOption = () => new Option("--yes", "don't ask for confirmation").default(false);

export const parallelOption = () =>
  new Option("--parallel <count>", "deployments in progress at once (default: 10)").argParser(
    wholeNumber("The number of deployments"),
  );

/** A full commit, since a short one may become ambiguous. */
export function commit(value: string): string {
  if (!/^[0-9a-f]{40}$/i.test(value)) throw new InvalidArgumentError("A commit is a full SHA of 40 digits.");
  return value.toLowerCase();
}

function repository(value: string): string {
  if (!/^[\w.-]+(\/[\w.-]+)+$/.test(value)) throw new InvalidArgumentError("A repository is written owner/name.");
  return value;
}

function keys(value: string): string[] {
  const found = value.split(",").map((key) => key.trim());
  if (found.includes("")) throw new InvalidArgumentError("Keys are separated by single commas.");
  return found;
}

function wholeNumber(what: string): (value: string) => number {
  return (value) => {
    if (!/^[1-9]\d{0,8}$/.test(value)) throw new InvalidArgumentError(`${what} is a whole number from 1.`);
    return Number(value);
  };
}

export const timeoutOption = () =>
  new Option("--timeout <duration>", "how long each rollout may take (default: 30m)").argParser(duration("--timeout"));

/** Reads a duration, in milliseconds. */
export function duration(option: string): (value: string) => number {
  return (value) => {
    try {
      return parseTimeout(value, option);
    } catch (error) {
      throw new InvalidArgumentError((error as Error).message);
    }
  };
}

export function withOptions(command: Command, ...options: readonly Option[]): Command {
  for (const option of options) command.addOption(option);
  return command;
}
