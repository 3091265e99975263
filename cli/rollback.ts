import { Command, Option } from "commander";
import { selected } from "../core/reconcile/file/plan.ts";
import { rollBackDeclared } from "../core/reconcile/file/redeploy.ts";
import { type FileFlags, fileOption, fileOptions, jsonOption, timeoutOption, withOptions } from "./options.ts";
import { runAndShow } from "./run.ts";
import { type Session, withSession } from "./session.ts";

interface RollbackFlags extends FileFlags {
  file?: string;
  to?: string;
  timeout?: number;
  json: boolean;
}

/** The `rollback` command. */
export function rollbackCommand(): Command {
  const command = new Command("rollback")
    .description(
      "Bring back the source of a revision that was live before; the environment stays as it is, and the next apply brings the declared state again. Exit codes: 0 it is live, 1 it isn't, 2 wrong usage, 130 interrupted.",
    )
    .argument("<key>", "key of the deployment in the file")
    .action((key: string, flags: RollbackFlags, used: Command) =>
      withSession(flags.file, flags, used, (session) => rollback(session, key, flags)),
    );
  const to = new Option("--to <revision>", "id of the revision (default: the last one that was live before)");
  const json = jsonOption("print events as JSON, one a line");
  return withOptions(command, to, fileOption(), timeoutOption(), json, ...fileOptions());
}

async function rollback(session: Session, key: string, flags: RollbackFlags): Promise<void> {
  const { client, file, options } = session;
  const { to, timeout: timeoutMs, json } = flags;
  const chosen = selected(file.deployments, [key]);
  await runAndShow(session, [{ key, dependsOn: [] }], json, (run) =>
    Promise.all(chosen.map((one) => rollBackDeclared(client, one, to, { ...options, ...run, limits: { timeoutMs } }))),
  );
  if (!json && process.exitCode === 0) {
    process.stdout.write("The file wasn't changed: the next apply brings back what it declares.\n");
  }
}
