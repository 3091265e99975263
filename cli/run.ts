import { type ApplyFileOptions, isLiveOutcome, type Outcome } from "../core/reconcile/file/outcome.ts";
import { interruptedCode, interruptible } from "./interruption.ts";
import type { Session } from "./session.ts";
import { JsonEvents } from "./terminal/json-events.ts";
import { type Expected, isLive, type Presenter } from "./terminal/presenter.ts";
import { ProgressLines } from "./terminal/progress-lines.ts";

/** What a run gets: its signal, and where it reports. */
export type RunOptions = Required<Pick<ApplyFileOptions, "signal" | "onDeploymentProgress" | "onOutcome">>;

/**
 * Runs what changes deployments, shows it as it goes, and sets the exit code: 0 when all ended as wanted, 1 when any
 * didn't, 130 after Ctrl-C.
 */
export async function runAndShow(
  { client, notices, text }: Session,
  expected: readonly Expected[],
  isJson: boolean,
  run: (options: RunOptions) => Promise<readonly Outcome[]>,
): Promise<void> {
  const presenter = await presenterFor(expected, isJson, client.redactor, text);
  notices.areShown = isJson || !isLive(process.env);
  using interruption = interruptible(
    () => presenter.interrupted(),
    () => presenter.close(),
  );
  try {
    const outcomes = await run({
      signal: interruption.signal,
      onDeploymentProgress: (key, event) => presenter.progress(key, event),
      onOutcome: (outcome) => presenter.outcome(outcome),
    });
    const isDone = outcomes.every((outcome) => isLiveOutcome(outcome) || outcome.result === "deleted");
    const exitCode = isDone ? 0 : interruption.signal.aborted ? interruptedCode : 1;
    presenter.end(outcomes, exitCode);
    process.exitCode = exitCode;
  } catch (error) {
    presenter.close();
    throw error;
  }
}

async function presenterFor(
  expected: readonly Expected[],
  isJson: boolean,
  redactor: Session["client"]["redactor"],
  text: Session["text"],
): Promise<Presenter> {
  if (isJson) return new JsonEvents(redactor);
  if (!isLive(process.env)) return new ProgressLines(text);
  // Its libraries are for terminals only.
  const { LiveTable } = await import("./terminal/live-table.ts");
  return new LiveTable(expected, text);
}
