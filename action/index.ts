import { basename } from "node:path";
import * as core from "@actions/core";
import { Aborted } from "../core/client/errors.ts";

/** From the signal to the end, in milliseconds: the runner sends SIGINT, 7.5 s later SIGTERM, and kills 2.5 s after that. */
const exitGraceMs = 4_500;

/**
 * The main step and the post step are one bundle, which `dist/post.js` only loads. The file that was started tells them apart, not a state that
 * the main step saves: one that is killed at its start saves none, and its post step must not deploy.
 */
if (basename(process.argv[1] ?? "") === "post.js") {
  try {
    const { post } = await import(/* webpackMode: "eager" */ "./post.ts");
    await post(process.env);
  } catch (error) {
    // A job isn't failed over what only tidies up.
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
  process.exitCode = await run(process.env, cancel.signal);
}
