import { Command, Option } from "commander";
import type { FileOptions } from "../core/reconcile/file/declared.ts";
import { type FilePlan, hasChanges, planFile } from "../core/reconcile/file/plan.ts";
import { planReport } from "../core/reconcile/file/plan-report.ts";
import { commit, type FileFlags, fileArgument, fileOptions, jsonOption, onlyOption, withOptions } from "./options.ts";
import { type Session, withSession } from "./session.ts";
import { planText } from "./terminal/plan-text.ts";
import { jsonText } from "./terminal/reports.ts";

/** The options that decide what a plan has. */
export interface PlanFlags extends FileFlags {
  only?: string[];
  adopt: boolean;
  prune: boolean;
  commit?: string;
  ref?: string;
  json: boolean;
}

interface ShownPlanFlags extends PlanFlags {
  detailedExitcode: boolean;
}

/** Adds the options that `plan` and `apply` share. */
export function withPlanOptions(command: Command): Command {
  return withOptions(
    command.argument(...fileArgument),
    onlyOption(),
    new Option("--adopt", "take over deployments of declared names that this file doesn't own").default(false),
    new Option("--prune", "delete what this file owns and no longer declares").default(false),
    new Option("--commit <sha>", "commit that must be live on the deployments of this repository").argParser(commit),
    new Option("--ref <ref>", "of them, those that declare this branch, or refs/tags/<tag>, only"),
    ...fileOptions(),
  );
}

/** The engine's options of a plan or an apply. */
export function planOptions({ options, repositoryUrl }: Session, flags: PlanFlags): FileOptions {
  const { only, adopt, prune, commit: sha, ref } = flags;
  return { ...options, only, adopt, prune, commit: sha === undefined ? undefined : { repositoryUrl, sha, ref } };
}

export function isRefused({ deployments }: FilePlan): boolean {
  return deployments.some(({ action }) => action === "refused");
}

/** The `plan` command. */
export function planCommand(): Command {
  const command = new Command("plan").description(
    "Show what an apply would change, and why, without changing anything. Exit codes: 0 planned, 1 a failure or a refused deployment, 2 wrong usage; with --detailed-exitcode 0 no changes, 1 failure, refusal or wrong usage, 2 changes.",
  );
  return withPlanOptions(command)
    .addOption(jsonOption("print the plan as JSON"))
    .option("--detailed-exitcode", "exit with 2 when there are changes", false)
    .action((path: string | undefined, flags: ShownPlanFlags, used: Command) =>
      withSession(path, flags, used, (session) => showPlan(session, flags)),
    );
}

async function showPlan(session: Session, flags: ShownPlanFlags): Promise<void> {
  const plan = await planFile(session.client, session.file, planOptions(session, flags));
  const { redactor } = session.client;
  process.stdout.write(flags.json ? `${jsonText(planReport(plan), redactor)}\n` : planText(plan, session.text));
  if (isRefused(plan)) process.exitCode = 1;
  else if (flags.detailedExitcode && hasChanges(plan)) process.exitCode = 2;
}
