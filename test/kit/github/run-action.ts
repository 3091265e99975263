import { post } from "../../../action/post.ts";
import { run } from "../../../action/run.ts";
import { Aborted } from "../../../core/client/errors.ts";
import { RecordingRunner } from "./recording-runner.ts";
import { type ActionResult, prepareStep, type StepOptions, stateVariables, withoutMasks } from "./step.ts";

export interface ActionOptions extends StepOptions {
  /** Called with the whole output so far whenever there is more. */
  onOutput?: (soFar: string, cancel: () => void) => void;
}

/** Runs the Action's main step, then its post step, in this process. `run-bundle.ts` runs the bundle like a runner. */
export async function runAction({ onOutput = () => {}, ...options }: ActionOptions): Promise<ActionResult> {
  await using step = await prepareStep(options);
  const cancel = new AbortController();
  // Like a signal, a cancel arrives after the current turn of the event loop.
  const cancelSoon = () => void setImmediate(() => cancel.abort(new Aborted("Cancelled.")));
  const main = new RecordingRunner(step.env, (soFar) => onOutput(soFar, cancelSoon));
  const code = await run(step.env, main, cancel.signal);
  const later = new RecordingRunner({ ...step.env, ...stateVariables(main.state) });
  await post(step.env, later);
  const log = main.log + later.log;
  return {
    code,
    log,
    mainLog: main.log,
    postLog: later.log,
    outputs: main.outputs,
    state: main.state,
    summary: main.summaryText,
    everything: [withoutMasks(log), main.summaryText, ...written(main.outputs), ...written(main.state)].join("\n"),
  };
}

function written(values: Readonly<Record<string, string>>): string[] {
  return Object.entries(values).flat();
}
