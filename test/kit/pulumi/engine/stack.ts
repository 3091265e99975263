import type { DynamicProcess, Properties } from "../dynamic-process.ts";
import { deleteUnneeded } from "./deletions.ts";
import { Execution, type StepTaken, textOf } from "./execution.ts";
import { runProgram } from "./program.ts";
import { type ProviderCall, ProviderCalls } from "./provider-calls.ts";
import { refreshed } from "./refresh.ts";
import { verify } from "./snapshot.ts";
import { type ResourceState, urnOf, withStack, withUrns } from "./state.ts";
import { type RunOptions, StepGenerator } from "./step-generator.ts";

/** The result of a command. Without an error, it succeeded. */
export interface Outcome {
  readonly steps: readonly StepTaken[];
  readonly error: string | undefined;
}

export interface UpOptions extends RunOptions {
  /** Refresh first. */
  readonly refresh?: boolean | undefined;
}

/** An existing resource, as in a file for `pulumi import`. */
export interface ImportedResource {
  readonly type: string;
  readonly name: string;
  readonly id: string;
  readonly inputs: Properties;
  readonly outputs: Properties;
}

/**
 * A stack and its commands: what Pulumi's engine does with a state, a program and a dynamic provider, sequentially and
 * without the CLI. It makes the same decisions as the real engine's step generator; `test/system/pulumi` compares the
 * two.
 */
export class PulumiStack {
  readonly project: string;
  #name: string;
  readonly #calls: ProviderCalls;
  /** The current state, as in a state file. */
  resources: readonly ResourceState[] = [];

  /** @param options.process returns the current provider process */
  constructor(options: {
    project: string;
    name: string;
    process: () => DynamicProcess;
    onCall?: (call: ProviderCall) => void;
  }) {
    this.project = options.project;
    this.#name = options.name;
    this.#calls = new ProviderCalls(options.process, options.onCall);
  }

  get name(): string {
    return this.#name;
  }

  up(program: () => unknown, options: UpOptions = {}): Promise<Outcome> {
    return this.#run(program, false, options);
  }

  preview(program: () => unknown, options: UpOptions = {}): Promise<Outcome> {
    return this.#run(program, true, options);
  }

  /** Deletes everything, or the targets, without running the program. */
  destroy(options: Omit<UpOptions, "replace"> = {}): Promise<Outcome> {
    return this.#run(undefined, false, options);
  }

  previewDestroy(options: Omit<UpOptions, "replace"> = {}): Promise<Outcome> {
    return this.#run(undefined, true, options);
  }

  async refresh(options: Pick<RunOptions, "targets"> = {}): Promise<Outcome> {
    const steps: StepTaken[] = [];
    return { steps, error: await this.#refreshInto(steps, options) };
  }

  /** Marks a resource for replacement by the next run. */
  taint(urn: string): void {
    this.resources = this.resources.map((state) =>
      state.urn === urn && !state.delete ? { ...state, taint: true } : state,
    );
  }

  /** Renames the stack; the resources' inputs stay unchanged. */
  rename(name: string): void {
    this.#name = name;
    this.resources = this.resources.map((state) => withUrns(state, (urn) => withStack(urn, name)));
  }

  /** Like `pulumi import --file` with a file that has each resource's inputs and outputs. */
  async import(resources: readonly ImportedResource[]): Promise<Outcome> {
    const steps: StepTaken[] = [];
    const imported: ResourceState[] = [];
    for (const { type, name, id, inputs, outputs } of resources) {
      const urn = urnOf(this.#name, this.project, "", type, name);
      if (this.resources.some((state) => state.urn === urn)) {
        return { steps, error: `resource '${urn}' already exists` };
      }
      // Only warned about.
      await this.#calls.check(urn, inputs, inputs).catch(() => {});
      imported.push(importedState(urn, type, id, inputs, outputs));
      steps.push({ operation: "import", urn, id });
    }
    this.resources = [...this.resources, ...imported];
    return { steps, error: undefined };
  }

  async #refreshInto(steps: StepTaken[], { targets }: Pick<RunOptions, "targets">): Promise<string | undefined> {
    const unknown = this.#unknownTarget(targets, new Set());
    if (unknown !== undefined) return unknown;
    const isTarget = (urn: string) => targets === undefined || targets.includes(urn);
    const result = await refreshed(this.resources, this.#calls, isTarget);
    steps.push(...result.steps);
    this.resources = result.resources;
    return result.steps.find(({ error }) => error !== undefined)?.error;
  }

  async #run(program: (() => unknown) | undefined, preview: boolean, options: UpOptions): Promise<Outcome> {
    const before = this.resources;
    const steps: StepTaken[] = [];
    try {
      if (options.refresh === true) {
        const error = await this.#refreshInto(steps, options);
        if (error !== undefined) return { steps, error };
      }
      const execution = new Execution({
        base: structuredClone(this.resources),
        preview,
        calls: this.#calls,
        write: (resources) => {
          this.resources = resources;
        },
      });
      const error = await this.#execute(execution, program, options);
      steps.push(...execution.steps);
      if (!preview) verify(this.resources);
      return { steps, error };
    } finally {
      if (preview) this.resources = before;
    }
  }

  async #execute(
    execution: Execution,
    program: (() => unknown) | undefined,
    options: UpOptions,
  ): Promise<string | undefined> {
    const { preview } = execution;
    const place = { project: this.project, stack: this.#name };
    const generator = new StepGenerator(execution, place, options);
    try {
      const unknown = this.#unknownTarget(options.replace, new Set());
      if (unknown !== undefined) return unknown;
      if (program !== undefined) await runProgram(program, { ...place, preview }, generator);
      const missing = this.#unknownTarget(options.targets, generator.declared);
      await deleteUnneeded(execution, generator);
      return missing ?? generator.errors[0];
    } catch (error) {
      return textOf(error);
    }
  }

  #unknownTarget(targets: readonly string[] | undefined, declared: ReadonlySet<string>): string | undefined {
    const isKnown = (urn: string) => declared.has(urn) || this.resources.some((state) => state.urn === urn);
    const missing = targets?.find((urn) => !isKnown(urn));
    return missing === undefined ? undefined : `Target '${missing}' could not be found in the stack`;
  }
}

function importedState(urn: string, type: string, id: string, inputs: Properties, outputs: Properties): ResourceState {
  return {
    urn,
    type,
    custom: true,
    id,
    inputs,
    outputs,
    parent: "",
    dependencies: [],
    propertyDependencies: {},
    protect: true,
    retainOnDelete: false,
    external: false,
    delete: false,
    pendingReplacement: false,
    taint: false,
    initErrors: [],
    importId: "",
    deletedWith: "",
    replaceWith: [],
    replacementTrigger: null,
    ignoreChanges: [],
    replaceOnChanges: [],
    additionalSecretOutputs: [],
    alias: undefined,
  };
}
