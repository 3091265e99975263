import { styleText } from "node:util";
import { Command } from "commander";
import { type DestroyPlan, destroyFile, planDestroy } from "../core/reconcile/file/destroy.ts";
import { confirmed, requireConfirmable } from "./confirmation.ts";
import {
  type FileFlags,
  fileArgument,
  fileOptions,
  jsonOption,
  onlyOption,
  parallelOption,
  withOptions,
  yesOption,
} from "./options.ts";
import { runAndShow } from "./run.ts";
import { type Session, withSession } from "./session.ts";
import { JsonEvents } from "./terminal/json-events.ts";
import { counted } from "./terminal/text.ts";

interface DestroyFlags extends FileFlags {
  only?: string[];
  yes: boolean;
  parallel?: number;
  json: boolean;
}

/** The `destroy` command. */
export function destroyCommand(): Command {
  const command = new Command("destroy")
    .description(
      "Delete what the file owns, by its ownership marker: what it declares, and what it once declared. Exit codes: 0 everything is gone, 1 something isn't, 2 wrong usage, 130 interrupted.",
    )
    .argument(...fileArgument)
    .action((path: string | undefined, flags: DestroyFlags, used: Command) => {
      requireConfirmable(used, flags);
      return withSession(path, { ...flags, worksByMarkers: true }, used, (session) => destroy(session, flags));
    });
  const json = jsonOption("print events as JSON, one a line");
  return withOptions(command, onlyOption(), yesOption(), parallelOption(), json, ...fileOptions());
}

async function destroy(session: Session, flags: DestroyFlags): Promise<void> {
  const { client, file, options } = session;
  const { only, parallel, json, yes } = flags;
  const plan = await planDestroy(client, file.deployments, { ...options, only });
  if (json) new JsonEvents(client.redactor).write("plan", { owned: plan.owned, left: plan.left });
  else process.stdout.write(destroyText(plan, session.text));
  if (plan.owned.length > 0 && !yes && !(await confirmed(`Delete ${counted(plan.owned.length, "deployment")}?`))) {
    process.stderr.write("Nothing was deleted.\n");
    process.exitCode = 1;
    return;
  }
  const expected = plan.owned.map(({ key }) => ({ key, dependsOn: [] }));
  await runAndShow(session, expected, json, (run) =>
    destroyFile(client, file.deployments, plan, { ...options, ...run, only, parallel }),
  );
}

function destroyText({ owned, left }: DestroyPlan, text: Session["text"]): string {
  const lines = [
    ...owned.map(({ key, name, id }) => {
      const label = key === name ? key : `${key} (${name})`;
      return [styleText("red", `- ${text(label)}: delete`), `    ${text(id)}, with its threads and store`].join("\n");
    }),
    ...left.map(({ key, reason }) => text(`  ${key}: ${reason}`)),
  ];
  return [...lines, "", `${styleText("bold", "Plan:")} ${owned.length} to delete`, "", ""].join("\n");
}
