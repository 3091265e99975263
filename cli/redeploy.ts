import { Command } from "commander";
import { selected } from "../core/reconcile/file/plan.ts";
import { redeployDeclared } from "../core/reconcile/file/redeploy.ts";
import {
  type FileFlags,
  fileOption,
  fileOptions,
  jsonOption,
  parallelOption,
  timeoutOption,
  withOptions,
} from "./options.ts";
import { runAndShow } from "./run.ts";
import { type Session, withSession } from "./session.ts";

interface RedeployFlags extends FileFlags {
  file?: string;
  parallel?: number;
  timeout?: number;
  json: boolean;
}

/** The `redeploy` command. */
export function redeployCommand(): Command {
  const command = new Command("redeploy")
    .description(
      "Roll deployments of the file out again with the configuration that they have: a branch is built from its newest commit. Exit codes: 0 everything is live, 1 something isn't, 2 wrong usage, 130 interrupted.",
    )
    .argument("<keys...>", "keys of the deployments in the file")
    .action((keys: string[], flags: RedeployFlags, used: Command) =>
      withSession(flags.file, flags, used, (session) => redeploy(session, keys, flags)),
    );
  const json = jsonOption("print events as JSON, one a line");
  return withOptions(command, fileOption(), parallelOption(), timeoutOption(), json, ...fileOptions());
}

async function redeploy(session: Session, keys: string[], flags: RedeployFlags): Promise<void> {
  const { client, file, options } = session;
  const { parallel, timeout: timeoutMs, json } = flags;
  const chosen = selected(file.deployments, keys);
  const expected = chosen.map(({ key }) => ({ key, dependsOn: [] }));
  await runAndShow(session, expected, json, (run) =>
    redeployDeclared(client, chosen, { ...options, ...run, parallel, limits: { timeoutMs } }),
  );
}
