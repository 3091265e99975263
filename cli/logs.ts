import { Command, Option } from "commander";
import { ConfigError } from "../core/client/errors.ts";
import type { Deployment } from "../core/client/wire/deployments.ts";
import { type LogEntry, meaningOf } from "../core/client/wire/revisions.ts";
import { secretValuesOf } from "../core/reconcile/environment.ts";
import { selected } from "../core/reconcile/file/plan.ts";
import { LogReader } from "../core/rollout/log-reader.ts";
import { duration, type FileFlags, fileOption, fileOptions, withOptions } from "./options.ts";
import { type Session, withSession } from "./session.ts";

/** The pause between two reads of a followed log, in milliseconds. */
const pauseMs = 2_000;

interface LogsFlags extends FileFlags {
  file?: string;
  build: boolean;
  follow: boolean;
  revision?: string;
  since?: number;
}

/** The `logs` command. */
export function logsCommand(): Command {
  const command = new Command("logs")
    .description(
      "Print the log of a deployment's latest revision, oldest line first, without secrets. Exit codes: 0 printed, 1 a failure, 2 wrong usage.",
    )
    .argument("<key>", "key of the deployment in the file")
    .action((key: string, flags: LogsFlags, used: Command) =>
      withSession(flags.file, flags, used, (session) => logs(session, key, flags)),
    );
  return withOptions(
    command,
    new Option("--build", "the log of its build, instead of its server's").default(false),
    new Option("--follow", "print further lines as they come; a build's until it has ended").default(false),
    new Option("--revision <id>", "another revision"),
    new Option("--since <duration>", "leave out lines older than this, such as 10m").argParser(duration("--since")),
    fileOption(),
    ...fileOptions(),
  );
}

async function logs(session: Session, key: string, flags: LogsFlags): Promise<void> {
  const { client } = session;
  const deployment = await findDeployment(session, key);
  const revisionId = flags.revision ?? deployment.latest_revision_id;
  if (typeof revisionId !== "string") throw new ConfigError(`${deployment.name} has no revision yet.`);
  const reader = new LogReader(client, {
    kind: flags.build ? "build" : "deploy",
    deploymentId: deployment.id,
    revisionId,
    since: flags.since === undefined ? undefined : new Date(client.clock.now() - flags.since).toISOString(),
  });
  // A reader that has closed the pipe wants no further lines.
  process.stdout.once("error", () => process.exit());
  const print = (entries: readonly LogEntry[]) => {
    for (const { message } of entries) process.stdout.write(`${session.printable(message).trimEnd()}\n`);
  };
  for (;;) {
    // Read before the log, so that nothing is missed after the last status.
    const isEnded = !flags.follow || (flags.build && (await hasEnded(session, deployment.id, revisionId)));
    while (await reader.read(print));
    if (isEnded) return;
    await client.clock.sleep(pauseMs);
  }
}

async function findDeployment({ client, file }: Session, key: string): Promise<Deployment> {
  const [declared] = selected(file.deployments, [key]);
  const name = declared?.desired.name ?? key;
  const { deployment } = await client.deployments.findByName(name);
  if (deployment === undefined)
    throw new ConfigError(`There is no deployment ${name} yet.`, { hint: "Apply the file first." });
  client.redactor.add(secretValuesOf(deployment, declared?.desired.env));
  return deployment;
}

async function hasEnded({ client }: Session, deploymentId: string, revisionId: string): Promise<boolean> {
  const { status } = await client.revisions.get(deploymentId, revisionId);
  return meaningOf(status) !== "waiting" || /DEPLOY/.test(status);
}
