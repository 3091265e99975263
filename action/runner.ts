import type * as core from "@actions/core";

/** The runner of the step, of which `@actions/core` is the real one: its inputs, log, command files and summary. */
export interface Runner
  extends Pick<
    typeof core,
    | "getInput"
    | "getState"
    | "saveState"
    | "setOutput"
    | "setSecret"
    | "debug"
    | "info"
    | "notice"
    | "warning"
    | "error"
    | "startGroup"
    | "endGroup"
  > {
  summary: { addRaw(text: string): { write(): Promise<unknown> } };
}
