import type { ImportFile } from "../../../provider/import-file.ts";
import type { Operation } from "../pulumi/engine/execution.ts";
import type { StackKey } from "./commands.ts";
import type { DeclaredProgram } from "./program.ts";

/** What a command did, or would do. */
export interface Result {
  readonly steps: readonly { readonly operation: Operation; readonly urn: string; readonly id: string }[];
  /** Absent when the command ended with exit 0. */
  readonly error: string | undefined;
  /** What the provider said meanwhile. */
  readonly warnings: readonly { readonly urn: string; readonly message: string }[];
}

/** One custom resource in a stack's state. */
export interface Entry {
  readonly urn: string;
  readonly type: string;
  readonly id: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  /** It waits for its deletion. */
  readonly delete: boolean;
  readonly retainOnDelete: boolean;
  readonly pendingReplacement: boolean;
}

export interface RunChoices {
  readonly targets?: readonly string[] | undefined;
  readonly replace?: string | undefined;
  readonly refresh?: boolean | undefined;
}

/** An engine with two stacks: the small one, or the real one through its CLI. */
export interface Driver extends AsyncDisposable {
  /** Forgets both stacks. */
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
  /** The state as it is written, where secrets are encrypted. */
  stateText(stack: StackKey): Promise<string>;
  /** Ends the provider that works now, without a chance to say goodbye. */
  kill(): Promise<void>;
}
