import type { ImportFile } from "../../../provider/import-file.ts";
import type { Operation } from "../pulumi/engine/execution.ts";
import type { StackKey } from "./commands.ts";
import type { DeclaredProgram } from "./program.ts";

/** The steps that a command took, or would take. */
export interface Result {
  readonly steps: readonly { readonly operation: Operation; readonly urn: string; readonly id: string }[];
  /** Absent when the command ended with exit 0. */
  readonly error: string | undefined;
  /** The provider's warnings during the command. */
  readonly warnings: readonly { readonly urn: string; readonly message: string }[];
}

/** One custom resource in a stack's state. */
export interface Entry {
  readonly urn: string;
  readonly type: string;
  readonly id: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  /** Whether its deletion is pending. */
  readonly delete: boolean;
  readonly retainOnDelete: boolean;
  readonly pendingReplacement: boolean;
}

export interface RunChoices {
  readonly targets?: readonly string[] | undefined;
  readonly replace?: string | undefined;
  readonly refresh?: boolean | undefined;
}

/** An engine with two stacks: the small engine, or the real one through its CLI. */
export interface Driver extends AsyncDisposable {
  /** Empties both stacks. */
  reset(): Promise<void>;
  nameOf(stack: StackKey): string;
  preview(stack: StackKey, program: DeclaredProgram, choices: RunChoices): Promise<Result>;
  up(stack: StackKey, program: DeclaredProgram, choices: RunChoices): Promise<Result>;
  previewDestroy(stack: StackKey, choices: Pick<RunChoices, "targets">): Promise<Result>;
  destroy(stack: StackKey, choices: Pick<RunChoices, "targets">): Promise<Result>;
  refresh(stack: StackKey): Promise<Result>;
  import(stack: StackKey, file: ImportFile): Promise<Result>;
  taint(stack: StackKey, urn: string): Promise<void>;
  rename(stack: StackKey, name: string): Promise<void>;
  exportState(stack: StackKey): Promise<unknown>;
  importState(stack: StackKey, state: unknown): Promise<void>;
  entries(stack: StackKey): Promise<Entry[]>;
  /** The state as it is stored, with encrypted secrets. */
  stateText(stack: StackKey): Promise<string>;
  /** Kills the current provider process. */
  kill(): Promise<void>;
}
