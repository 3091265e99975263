import type { StackKey } from "./commands.ts";
import type { DeclaredProgram } from "./program.ts";

/** Why a stack may differ from its program until the next refresh and full up. */
export type Unsettled =
  /** The run was limited to some resources. */
  | "targets"
  /** The platform was changed outside of the engine. */
  | "changed elsewhere"
  /** A run was interrupted. */
  | "failed run"
  /** An older state was imported. */
  | "restored"
  /** The other stack adopted a deployment, or deleted one that it had adopted. */
  | "taken over";

/** The model's view of one stack. */
export interface StackModel {
  program: DeclaredProgram;
  unsettled: Set<Unsettled>;
  /** How often it was renamed. */
  renames: number;
  /** The state of the last export. */
  exported: unknown;
}

/** The expected state, as far as it is known without knowledge of the provider's internals. */
export interface Model {
  readonly stacks: Record<StackKey, StackModel>;
  /** Who created or last adopted a deployment; `elsewhere` for neither stack. */
  readonly owners: Map<string, StackKey | "elsewhere">;
  /**
   * Deployments that no state contains, for example because the provider was killed before it could report them, or
   * they were retained.
   */
  readonly abandoned: Set<string>;
  /** Ids whose deletion no state shows yet, since they were deleted elsewhere or by a killed provider. */
  readonly deletedElsewhere: Set<string>;
  /** Names of environment entries that were added elsewhere, by id. */
  readonly addedElsewhere: Map<string, Set<string>>;
}

export function emptyModel(): Model {
  const stack = (): StackModel => ({
    program: { deployments: [] },
    unsettled: new Set(),
    renames: 0,
    exported: undefined,
  });
  return {
    stacks: { blue: stack(), green: stack() },
    owners: new Map(),
    abandoned: new Set(),
    deletedElsewhere: new Set(),
    addedElsewhere: new Map(),
  };
}
