import { styleText } from "node:util";
import { Command } from "commander";
import { type DeploymentState, fileState } from "../core/reconcile/file/status.ts";
import { type FileFlags, fileArgument, fileOptions, jsonOption, usageExit, withOptions } from "./options.ts";
import { openSession, type Session } from "./session.ts";
import { stateReport } from "./terminal/reports.ts";
import { table } from "./terminal/table.ts";

interface StatusFlags extends FileFlags {
  json: boolean;
}

/** The `status` command. */
export function statusCommand(): Command {
  const command = new Command("status")
    .description(
      "Show what the platform has of the file's deployments, and what the file owns but no longer declares. Exit codes: 0 shown, 1 a failure, 2 wrong usage.",
    )
    .argument(...fileArgument)
    .exitOverride(usageExit)
    .action(status);
  return withOptions(command, jsonOption("print the deployments as JSON"), ...fileOptions());
}

async function status(path: string | undefined, flags: StatusFlags, command: Command): Promise<void> {
  const session = await openSession(path, flags, command);
  if (session === undefined) return;
  const { client, file, options, text } = session;
  const states = await fileState(client, file.deployments, options);
  if (flags.json) {
    const deployments = states.map((state) => stateReport(state, state.deployment && client.webUrl(state.deployment)));
    process.stdout.write(`${JSON.stringify(client.redactor.deep({ deployments }))}\n`);
  } else process.stdout.write(statusText(states, text));
}

function statusText(states: readonly DeploymentState[], text: Session["text"]): string {
  const head = ["key", "name", "status", "revision", "serving"].map((title) => styleText("bold", title));
  const rows = states.map(({ key, name, status: latest, isLive, deployment }) => [
    key,
    name,
    latest,
    deployment?.latest_revision_id ?? "",
    isLive ? "this one" : (deployment?.active_revision_id ?? "none"),
  ]);
  const [first, ...lines] = table([head, ...rows.map((row) => row.map(text))]);
  const blocks = states.flatMap((state, index) => [lines[index], ...detailsOf(state).map((line) => `  ${text(line)}`)]);
  return `${[first, ...blocks].join("\n")}\n`;
}

function detailsOf({ isDeclared, isOwned, owner, deployment }: DeploymentState): string[] {
  const url = deployment?.source_config.custom_url;
  return [
    ...(typeof url === "string" ? [url] : []),
    ...(deployment !== undefined && !isOwned
      ? [`owned by ${owner ?? "nobody, or its ownership marker is hidden"}`]
      : []),
    ...(isDeclared ? [] : ["no longer declared; apply --prune deletes it"]),
  ];
}
