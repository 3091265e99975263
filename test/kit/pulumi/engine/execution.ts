import type { Properties } from "../dynamic-process.ts";
import type { ProviderCalls } from "./provider-calls.ts";
import { Snapshot } from "./snapshot.ts";
import type { ResourceState } from "./state.ts";
import { withSecretOutputs } from "./values.ts";

export type Operation =
  | "same"
  | "create"
  | "update"
  | "replace"
  | "create-replacement"
  | "delete"
  | "delete-replaced"
  | "remove-pending-replace"
  | "read"
  | "refresh"
  | "import";

/** One step that a run took, or in a preview would take. */
export interface StepTaken {
  readonly operation: Operation;
  readonly urn: string;
  /** The resource's id; empty if there is none yet. */
  readonly id: string;
  /** Why it failed; the resource may still be in the state. */
  readonly error?: string;
  /** Whether it failed before a decision, so that the real engine has no such step. */
  readonly isUndecided?: true;
}

/** Executes steps one after another and updates the state after each. Stops after a failure. */
export class Execution {
  readonly snapshot: Snapshot;
  readonly preview: boolean;
  readonly steps: StepTaken[] = [];
  readonly calls: ProviderCalls;
  readonly #write: (resources: readonly ResourceState[]) => void;

  /** @param write is called after each step, though never in a preview */
  constructor(options: {
    base: readonly ResourceState[];
    preview: boolean;
    calls: ProviderCalls;
    write: (resources: readonly ResourceState[]) => void;
  }) {
    this.snapshot = new Snapshot(options.base);
    this.preview = options.preview;
    this.calls = options.calls;
    this.#write = options.write;
  }

  same(old: ResourceState, state: ResourceState): ResourceState {
    Object.assign(state, { id: old.id, outputs: old.outputs });
    this.#replaceInSnapshot(old, state);
    this.#record("same", state);
    return state;
  }

  async create(
    state: ResourceState,
    replacing?: { readonly old: ResourceState; readonly pendingDelete: boolean },
  ): Promise<ResourceState> {
    const operation = replacing === undefined ? "create" : "create-replacement";
    if (state.custom && this.preview) state.outputs = state.inputs;
    if (state.custom && !this.preview) {
      const { id, outputs, initErrors } = await this.#attempt(operation, state, () =>
        this.calls.create(state.urn, state.inputs),
      );
      Object.assign(state, { id, outputs, initErrors });
    }
    if (replacing?.pendingDelete === true) replacing.old.delete = true;
    if (replacing?.old.pendingReplacement === true) this.snapshot.recordDone(replacing.old);
    this.#keep(state);
    this.snapshot.recordNew(state);
    return this.#finish(operation, state);
  }

  async update(old: ResourceState, state: ResourceState): Promise<ResourceState> {
    state.id = old.id;
    if (state.custom && this.preview) state.outputs = state.inputs;
    if (state.custom && !this.preview) {
      const { outputs, initErrors } = await this.#attempt("update", state, () =>
        this.calls.update(state.urn, old.id, old.outputs, state.inputs),
      );
      Object.assign(state, { outputs, initErrors });
      // The resource doesn't have the new inputs, so the next run retries.
      if (initErrors.length > 0) state.inputs = old.inputs;
    }
    this.#replaceInSnapshot(old, state);
    return this.#finish("update", state);
  }

  /** Shows a replacement as one step. */
  replace(state: ResourceState, old: ResourceState): void {
    this.steps.push({ operation: "replace", urn: state.urn, id: old.id });
  }

  /**
   * @param options.replacing whether it is part of a replacement
   * @param options.beforeCreation whether its replacement follows, so that the entry stays
   * @param options.deletedAlong whether it is deleted together with another resource
   */
  async delete(
    old: ResourceState,
    options: { replacing: boolean; beforeCreation: boolean; deletedAlong: boolean },
  ): Promise<"deleted" | "protected"> {
    const operation = options.replacing ? "delete-replaced" : "delete";
    if (!options.replacing && old.protect) {
      this.#record(operation, old, `${old.urn} cannot be deleted because it is protected`);
      return "protected";
    }
    const isDeleted = !this.preview && old.custom && !old.external && !old.retainOnDelete && !options.deletedAlong;
    if (isDeleted) await this.#attempt(operation, old, () => this.calls.delete(old.urn, old.id, old.outputs));
    if (options.beforeCreation) old.pendingReplacement = true;
    else this.snapshot.recordDone(old);
    this.#record(operation, old);
    return "deleted";
  }

  removePendingReplacement(old: ResourceState): void {
    this.snapshot.recordDone(old);
    this.#record("remove-pending-replace", old);
  }

  /** Reads a resource of another owner. An own resource with the same URN is then deleted. */
  async read(state: ResourceState, old: ResourceState | undefined, isUnknown: boolean): Promise<ResourceState> {
    if (isUnknown) Object.assign(state, { id: "", outputs: {} });
    else {
      const found = await this.#attempt("read", state, () =>
        this.calls.read(state.urn, state.id, state.inputs, state.inputs),
      );
      state.outputs = found.outputs;
      if (found.id !== "") state.id = found.id;
    }
    if (old !== undefined && !old.external && old.id !== state.id) old.delete = true;
    else if (old !== undefined) this.snapshot.recordDone(old);
    this.#keep(state);
    this.snapshot.recordNew(state);
    this.#record("read", state);
    return state;
  }

  /** Imports an existing resource into the state by its id. */
  async import(state: ResourceState, old: ResourceState | undefined): Promise<ResourceState> {
    const found = await this.#attempt("import", state, async () => {
      const none: Properties = {};
      const read = await this.calls.read(state.urn, state.importId, none, none);
      if (read.inputs === undefined) throw new Error("provider does not support importing resources");
      return read;
    });
    Object.assign(state, { id: found.id || state.importId, inputs: found.inputs, outputs: found.outputs });
    if (old !== undefined) old.delete = true;
    this.snapshot.recordNew(state);
    this.#record("import", state);
    return state;
  }

  /** Records a resource whose check or diff failed. */
  failed(operation: Operation, { urn, id }: ResourceState, error: unknown): void {
    const isRecorded = this.steps.some((step) => step.urn === urn && step.error !== undefined);
    if (!isRecorded) this.steps.push({ operation, urn, id, error: textOf(error), isUndecided: true });
  }

  async #attempt<Result>(operation: Operation, state: ResourceState, run: () => Promise<Result>): Promise<Result> {
    try {
      return await run();
    } catch (error) {
      this.#record(operation, state, textOf(error));
      throw error;
    }
  }

  #finish(operation: Operation, state: ResourceState): ResourceState {
    const error = state.initErrors.length === 0 ? undefined : state.initErrors.join("\n");
    this.#record(operation, state, error);
    if (error !== undefined) throw new Error(error);
    return state;
  }

  #replaceInSnapshot(old: ResourceState, state: ResourceState): void {
    this.#keep(state);
    this.snapshot.recordDone(old);
    this.snapshot.recordNew(state);
  }

  #keep(state: ResourceState): void {
    state.outputs = withSecretOutputs(state.outputs, state.inputs, state.additionalSecretOutputs);
  }

  #record(operation: Operation, { urn, id }: ResourceState, error?: string): void {
    this.steps.push({ operation, urn, id, ...(error === undefined ? {} : { error }) });
    if (!this.preview) this.#write(this.snapshot.resources());
  }
}

export function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
