import { basename } from "node:path";
import * as core from "@actions/core";
import { Aborted } from "../core/client/errors.ts";
import type { Runner } from "./runner.ts";

/**
 * How long the process may live after a signal, in milliseconds: the runner sends SIGINT, SIGTERM 7.5 s later, and
 * kills after another 2.5 s.
 */
const exitGraceMs = 4_500;

/** Function by function: the bundle leaves out what isn't named here, such as the client for identity tokens. */
const runner: Runner = {
  getInput: core.getInput,
  getState: core.getState,
  saveState: core.saveState,
  setOutput: core.setOutput,
  setSecret: core.setSecret,
  debug: core.debug,
  info: core.info,
  notice: core.notice,
  warning: core.warning,
  error: core.error,
  startGroup: core.startGroup,
  endGroup: core.endGroup,
  summary: core.summary,
};

/**
 * The main step and the post step share one bundle, which `dist/post.js` only loads. The name of the started file tells
 * them apart, not saved state: a main step that is killed early saves none, and its post step must not deploy.
 */
if (basename(process.argv[1] ?? "") === "post.js") {
  try {
    const { post } = await import(/* webpackMode: "eager" */ "./post.ts");
    await post(process.env, runner);
  } catch (error) {
    // The post step only cleans up, so it must not fail the job.
    core.warning(error instanceof Error ? error.message : String(error));
  }
} else {
  const cancel = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    process.on(name, () => {
      if (cancel.signal.aborted) return;
      core.info(`Received ${name}: stopping.`);
      cancel.abort(new Aborted("Cancelled."));
      setTimeout(() => process.exit(1), exitGraceMs).unref();
    });
  }
  const { run } = await import(/* webpackMode: "eager" */ "./run.ts");
  process.exitCode = await run(process.env, runner, cancel.signal);
}
