import type { StackKey } from "./commands.ts";
import type { DeclaredProgram } from "./program.ts";

/** Why a stack need not be as its program says, until the next refresh and up of all of it. */
export type Unsettled =
  /** The run was limited to some resources. */
  | "targets"
  /** The platform was changed behind the engine's back. */
  | "changed elsewhere"
  /** A run ended in the middle. */
  | "failed run"
  /** An older state was put back. */
  | "restored"
  /** The other stack took a deployment over, or deleted one that it had taken over. */
  | "taken over";

/** What the model knows of one stack. */
export interface StackModel {
  program: DeclaredProgram;
  unsettled: Set<Unsettled>;
  /** How often it was renamed. */
  renames: number;
  /** The state of the last export. */
  exported: unknown;
}

/** What there must be, as far as it can be known without looking into the provider. */
export interface Model {
  readonly stacks: Record<StackKey, StackModel>;
  /** Who made a deployment, or took it over last; `elsewhere`: nobody here. */
  readonly owners: Map<string, StackKey | "elsewhere">;
  /**
   * Deployments that no state can hold any more, for example because the provider was killed before it could tell of
   * them, or they were retained.
   */
  readonly abandoned: Set<string>;
  /** Ids whose deletion no state shows yet: somebody else deleted them, or a provider that was killed. */
  readonly deletedElsewhere: Set<string>;
  /** Names of environment entries that somebody else added, by id. */
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
