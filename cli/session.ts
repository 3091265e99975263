import { dirname } from "node:path";
import type { Command } from "commander";
import { AgentServer } from "../core/client/agent-server.ts";
import { ControlPlane } from "../core/client/client.ts";
import { type DeclarativeFile, readDeclarativeFile } from "../core/declare/file/declarative-file.ts";
import { createConfinedReader } from "../core/declare/file/substitution.ts";
import type { FileOptions } from "../core/reconcile/file/declared.ts";
import { fileOwner } from "../core/reconcile/file/owner.ts";
import { resolveSettings } from "../core/settings.ts";
import { readDefaultFile } from "./default-files.ts";
import { printProblems } from "./file-problems.ts";
import type { FileFlags } from "./options.ts";
import { locateFile } from "./repository.ts";
import { cliText, printable } from "./terminal/text.ts";

/** What a command works with: a valid file, the client, and who owns what the file declares. */
export interface Session {
  /** Its path, as it is shown. */
  path: string;
  file: DeclarativeFile;
  client: ControlPlane;
  /** The repository of the file. */
  repositoryUrl: string;
  options: Pick<FileOptions, "owner" | "connect">;
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
  path: string | undefined,
  flags: FileFlags & { json?: boolean },
  command: Command,
  run: (session: Session) => Promise<void>,
): Promise<void> {
  const session = await openSession(path, flags, command);
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
  path: string | undefined,
  flags: FileFlags & { json?: boolean },
  command: Command,
): Promise<Session | undefined> {
  const { file, text } = await readDefaultFile(path).catch((error: Error) => command.error(`error: ${error.message}`));
  const { environment, preview: pullRequest } = flags;
  const readFile = createConfinedReader(dirname(file));
  const declared = readDeclarativeFile(text, { path: file, environment, pullRequest, env: process.env, readFile });
  const { settings, problems } = resolveSettings({
    explicit: flags,
    env: process.env,
    names: { explicit: "--api-key-env" },
  });
  if (declared.problems.length > 0) printProblems(file, declared, flags.json === true);
  for (const { message } of problems) process.stderr.write(`error: ${cliText(message)}\n`);
  if (declared.problems.length > 0 || settings === undefined) {
    process.exitCode = 1;
    return undefined;
  }
  const location = await locateFile(file, flags.repository, process.env);
  const client = new ControlPlane({ ...settings, userAgent: "cli" });
  const redactor = client.redactor.add(declared.secrets);
  return {
    path: file,
    file: declared,
    client,
    repositoryUrl: location.repositoryUrl,
    options: {
      owner: fileOwner({ ...location, environment, pullRequest }),
      connect: (url) => new AgentServer({ url, settings, redactor, userAgent: "cli" }),
    },
    text: (given) => cliText(redactor.text(given)),
    printable: (given) => printable(redactor.text(given)),
  };
}
