import type { DynamicProcess, Properties } from "./dynamic-process.ts";
import type { StepTaken } from "./engine/execution.ts";
import { PulumiStack } from "./engine/stack.ts";
import { nameOf, type ResourceState } from "./engine/state.ts";
import { revealed } from "./engine/values.ts";

/** A resource in the state; secrets in plain text. */
export interface StoredResource extends ResourceState {
  readonly name: string;
}

/** One operation on a resource; a replacement counts as one. */
export interface Step {
  readonly name: string;
  readonly operation: "create" | "update" | "replace" | "same" | "delete" | "read";
  /** Why it failed; the resource may still be in the state. */
  readonly error?: string;
}

/** One stack, whose resources tests access by name. */
export interface Engine {
  /** The resources by name. Tests may change it, like an edited state. */
  readonly resources: ResourcesByName;
  /** Runs the program and applies it. Failures are in the steps, never thrown. */
  up(program: () => unknown): Promise<Step[]>;
  /** The steps that `up` would take. */
  preview(program: () => unknown): Promise<Step[]>;
  refresh(): Promise<Step[]>;
  destroy(): Promise<Step[]>;
}

/** The resources of a stack that aren't pending deletion. */
export class ResourcesByName {
  readonly #stack: PulumiStack;

  constructor(stack: PulumiStack) {
    this.#stack = stack;
  }

  get size(): number {
    return [...this].length;
  }

  get(name: string): StoredResource | undefined {
    return this.values().find((resource) => resource.name === name);
  }

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  set(name: string, { name: _name, ...state }: StoredResource): void {
    const others = this.#stack.resources.filter(({ urn }) => nameOf(urn) !== name);
    this.#stack.resources = [...others, state];
  }

  clear(): void {
    this.#stack.resources = [];
  }

  values(): StoredResource[] {
    return this.#stack.resources
      .filter((state) => !state.delete)
      .map((state) => ({
        ...state,
        inputs: plain(state.inputs),
        outputs: plain(state.outputs),
        name: nameOf(state.urn),
      }));
  }

  *[Symbol.iterator](): Iterator<[string, StoredResource]> {
    for (const resource of this.values()) yield [resource.name, resource];
  }
}

const plain = (properties: Properties): Properties => revealed(properties);

const operations: Partial<Record<StepTaken["operation"], Step["operation"]>> = {
  create: "create",
  update: "update",
  replace: "replace",
  same: "same",
  delete: "delete",
  read: "read",
  refresh: "read",
};

/** Merges the steps of a replacement into one: the failed one, if any. */
function shownSteps(taken: readonly StepTaken[]): Step[] {
  const failed = new Set(taken.filter(({ error }) => error !== undefined).map(({ urn }) => urn));
  return taken.flatMap(({ operation, urn, error }) => {
    if (error === undefined && failed.has(urn)) return [];
    const shown = operations[operation] ?? (error === undefined ? undefined : "replace");
    return shown === undefined
      ? []
      : [{ name: nameOf(urn), operation: shown, ...(error === undefined ? {} : { error }) }];
  });
}

/**
 * A stack `test` of the project `program`, over one dynamic-provider process.
 *
 * @param provider the process, or a function that returns the current one
 */
export function createEngine(provider: DynamicProcess | (() => DynamicProcess)): Engine {
  const process = typeof provider === "function" ? provider : () => provider;
  const stack = new PulumiStack({ project: "program", name: "test", process });
  const shown = async (run: Promise<{ steps: readonly StepTaken[]; error: string | undefined }>) => {
    const { steps: taken, error } = await run;
    const steps = shownSteps(taken);
    // A failure of the program itself, not of a resource.
    if (error !== undefined && steps.every((step) => step.error === undefined)) throw new Error(error);
    return steps;
  };
  return {
    resources: new ResourcesByName(stack),
    up: (program) => shown(stack.up(program)),
    preview: (program) => shown(stack.preview(program)),
    refresh: () => shown(stack.refresh()),
    destroy: () => shown(stack.destroy()),
  };
}
