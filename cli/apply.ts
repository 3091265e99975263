import { Command } from "commander";
import { applyFile } from "../core/reconcile/file/apply.ts";
import { hasChanges, planFile } from "../core/reconcile/file/plan.ts";
import { planReport } from "../core/reconcile/file/plan-report.ts";
import { confirmed, requireConfirmable } from "./confirmation.ts";
import { jsonOption, parallelOption, timeoutOption, yesOption } from "./options.ts";
import { isRefused, type PlanFlags, planOptions, withPlanOptions } from "./plan.ts";
import { runAndShow } from "./run.ts";
import { type Session, withSession } from "./session.ts";
import { JsonEvents } from "./terminal/json-events.ts";
import { planText } from "./terminal/plan-text.ts";

interface ApplyFlags extends PlanFlags {
  yes: boolean;
  parallel?: number;
  timeout?: number;
}

/** The `apply` command. */
export function applyCommand(): Command {
  const command = new Command("apply").description(
    "Plan, confirm, and bring the platform to what the file declares. A plan with a refused deployment sends nothing. Exit codes: 0 everything is live, 1 something isn't, 2 wrong usage, 130 interrupted.",
  );
  return withPlanOptions(command)
    .addOption(yesOption())
    .addOption(parallelOption())
    .addOption(timeoutOption())
    .addOption(jsonOption("print events as JSON, one a line"))
    .action((path: string | undefined, flags: ApplyFlags, used: Command) => {
      requireConfirmable(used, flags);
      return withSession(path, flags, used, (session) => apply(session, flags));
    });
}

async function apply(session: Session, flags: ApplyFlags): Promise<void> {
  const { client, file } = session;
  const options = planOptions(session, flags);
  const plan = await planFile(client, file, options);
  const events = new JsonEvents(client.redactor);
  if (flags.json) events.write("plan", planReport(plan));
  else process.stdout.write(planText(plan, session.text));
  if (isRefused(plan)) {
    process.stderr.write("error: the plan has a refused deployment, so nothing was sent\n");
    if (flags.json) events.end([], 1);
    process.exitCode = 1;
    return;
  }
  if (!flags.json) process.stdout.write("\n");
  if (!flags.yes && hasChanges(plan) && !(await confirmed("Apply this plan?"))) {
    process.stderr.write("Nothing was sent.\n");
    process.exitCode = 1;
    return;
  }
  const { parallel, timeout: timeoutMs } = flags;
  const expected = [
    ...plan.deployments,
    ...(plan.prunes ? plan.undeclared.map(({ name }) => ({ key: name, dependsOn: [] })) : []),
  ];
  await runAndShow(session, expected, flags.json, (run) =>
    applyFile(client, file, plan, { ...options, ...run, parallel, limits: { timeoutMs } }),
  );
}
