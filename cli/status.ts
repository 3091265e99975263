import { styleText } from "node:util";
import { Command } from "commander";
import { type DeploymentState, fileState } from "../core/reconcile/file/status.ts";
import { type FileFlags, fileArgument, fileOptions, jsonOption, withOptions } from "./options.ts";
import { type Session, withSession } from "./session.ts";
import { jsonText, stateReport } from "./terminal/reports.ts";
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
    .action((path: string | undefined, flags: StatusFlags, used: Command) =>
      withSession(path, flags, used, (session) => status(session, flags)),
    );
  return withOptions(command, jsonOption("print the deployments as JSON"), ...fileOptions());
}

async function status(session: Session, flags: StatusFlags): Promise<void> {
  const { client, file, options, text } = session;
  const states = await fileState(client, file.deployments, options);
  if (flags.json) {
    const deployments = states.map((state) => stateReport(state, state.deployment && client.webUrl(state.deployment)));
    process.stdout.write(`${jsonText({ deployments }, client.redactor)}\n`);
  } else process.stdout.write(statusText(states, text));
}

function statusText(states: readonly DeploymentState[], text: Session["text"]): string {
  const head = ["key", "name", "status"].map((title) => styleText("bold", title));
  const rows = states.map(({ key, name, status }) => [key, name, status].map(text));
  const [first, ...lines] = table([head, ...rows]);
  const blocks = states.flatMap((state, index) => [lines[index], ...detailsOf(state).map((line) => `  ${text(line)}`)]);
  return `${[first, ...blocks].join("\n")}\n`;
}

function detailsOf({ isDeclared, isLive, isOwned, owner, deployment }: DeploymentState): string[] {
  if (deployment === undefined) return [];
  const { latest_revision_id: latest, active_revision_id: active, source_config: config } = deployment;
  const serving = isLive ? "serves" : typeof active === "string" ? `is the latest; ${active} serves` : "isn't live yet";
  return [
    ...(typeof latest === "string" ? [`revision ${latest} ${serving}`] : []),
    ...(typeof config.custom_url === "string" ? [config.custom_url] : []),
    ...(isOwned ? [] : [`owned by ${owner ?? "nobody, or the platform hides its ownership marker"}`]),
    ...(isDeclared ? [] : ["no longer declared; apply --prune deletes it"]),
  ];
}
