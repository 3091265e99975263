import type { Command } from "commander";
import { AgentServer } from "../core/client/agent-server.ts";
import { ControlPlane } from "../core/client/client.ts";
import { type DeclarativeFile, problemLine, warningLine } from "../core/declare/file/declarative-file.ts";
import type { FileOptions } from "../core/reconcile/file/declared.ts";
import { fileOwner } from "../core/reconcile/file/owner.ts";
import { unprotectedWarning } from "../core/redact.ts";
import { resolveSettings } from "../core/settings.ts";
import { printFindings, readFile } from "./file.ts";
import type { FileFlags } from "./options.ts";
import { locateFile } from "./repository.ts";
import { cliText, printable } from "./terminal/text.ts";

interface SessionFlags extends FileFlags {
  json?: boolean;
  /** Whether the ownership markers are enough, so that a file with problems counts as one that declares nothing. */
  worksByMarkers?: boolean;
}

/** What a command works with: a valid file, the client, and who owns what the file declares. */
export interface Session {
  file: DeclarativeFile;
  client: ControlPlane;
  /** The repository of the file. */
  repositoryUrl: string;
  options: Pick<FileOptions, "owner" | "connect">;
  /** Lines about outages; a table that redraws itself turns them off. */
  notices: { areShown: boolean };
  /** `text` for the user: without secrets, in the words of the file and of the command line. */
  text: (text: string) => string;
  /** `text` of somebody else: without secrets and control sequences. */
  printable: (text: string) => string;
}

/**
 * Runs a command with its file and its connection. Problems with those, and what `run` throws, are printed, and the exit
 * code is then 1.
 * @throws {@link ConfigError} when the repository isn't known
 */
export async function withSession(
  named: string | undefined,
  flags: SessionFlags,
  command: Command,
  run: (session: Session) => Promise<void>,
): Promise<void> {
  const session = await openSession(named, flags, command);
  if (session === undefined) return;
  try {
    await run(session);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(`error: ${session.text(message).trimEnd()}\n`);
    process.exitCode = 1;
  }
}

/** Reads the file and the settings, or prints all problems with them. Sends nothing. */
async function openSession(
  named: string | undefined,
  flags: SessionFlags,
  command: Command,
): Promise<Session | undefined> {
  const { environment, preview: pullRequest } = flags;
  const { path, file: read } = readFile(named, flags, command);
  const isLeftOut = flags.worksByMarkers === true && read.problems.length > 0;
  const file = isLeftOut ? { ...read, problems: [] } : read;
  const { settings, problems } = resolveSettings({
    explicit: flags,
    env: process.env,
    names: { explicit: "--api-key-env" },
  });
  if (isLeftOut) {
    process.stderr.write(`${read.problems.map(problemLine).map(printable).join("\n")}\n`);
    process.stderr.write("warning: the file has problems, so what it owns is found by the ownership markers alone\n");
  }
  if (file.problems.length > 0) printFindings(path, file, flags.json === true);
  else for (const warning of warningsOf(file)) process.stderr.write(`${printable(warning)}\n`);
  for (const { message } of problems) process.stderr.write(`error: ${cliText(message)}\n`);
  if (file.problems.length > 0 || settings === undefined) {
    process.exitCode = 1;
    return undefined;
  }
  const location = await locateFile(path, flags, process.env);
  const notices = { areShown: true };
  const notice = (message: string) => {
    if (notices.areShown) process.stderr.write(`${printable(message)}\n`);
  };
  const logger = { debug: () => {}, info: notice, warn: notice, error: notice };
  const client = new ControlPlane({ ...settings, userAgent: "cli", logger });
  const redactor = client.redactor.add(file.secrets);
  return {
    file,
    client,
    notices,
    repositoryUrl: location.repositoryUrl,
    options: {
      owner: fileOwner({ ...location, environment, pullRequest }),
      connect: (url) => new AgentServer({ url, settings, redactor, userAgent: "cli" }),
    },
    text: (given) => cliText(redactor.text(given)),
    printable: (given) => printable(redactor.text(given)),
  };
}

/** What is doubtful in a file, and secrets that can't be redacted. */
function warningsOf({ deployments, warnings }: DeclarativeFile): string[] {
  const secrets = Object.fromEntries(
    deployments.flatMap(({ key, desired }) =>
      Object.entries(desired.secrets ?? {}).map(([name, value]) => [`${key}.${name}`, value]),
    ),
  );
  const unprotected = unprotectedWarning(secrets);
  return [...warnings.map(warningLine), ...(unprotected === undefined ? [] : [`warning: ${unprotected}`])];
}
