import { isDeepStrictEqual } from "node:util";
import { runtime } from "@pulumi/pulumi";
import { type DiffAnswer, type DynamicProcess, InitFailure, type Properties } from "./dynamic-process.ts";

/** A resource in the state, as the real engine keeps it. */
export interface StoredResource {
  readonly name: string;
  readonly type: string;
  readonly urn: string;
  readonly id: string;
  /** The checked inputs of the last operation. */
  readonly inputs: Properties;
  readonly outputs: Properties;
  /** Why the last create or update isn't done; empty when it is. */
  readonly initErrors: readonly string[];
}

/** One thing that an operation did, or in a preview would do. */
export interface Step {
  readonly name: string;
  readonly operation: "create" | "update" | "replace" | "same" | "delete" | "read";
  /** Why it failed; the resource may be in the state all the same. */
  readonly error?: string;
}

/**
 * A small engine, from program to provider, without the CLI: check, diff, then create, update, replace or delete, with the state in
 * memory. Simpler than the real one: no dependencies (deletion goes backwards), no secrets in the state, and outputs that a preview
 * doesn't know are absent rather than unknown (send `unknown` to the process itself to test those).
 */
export interface Engine {
  /** By name. Tests may change it, as an edited state. */
  readonly resources: Map<string, StoredResource>;
  /** Runs the program and makes its resources so. Failures are in the steps, never thrown. */
  up(program: () => unknown): Promise<Step[]>;
  /** What `up` would do. */
  preview(program: () => unknown): Promise<Step[]>;
  refresh(): Promise<Step[]>;
  destroy(): Promise<Step[]>;
}

const project = "program";
const stack = "test";

// Dynamic providers don't take secrets: the engine hands them plain values.
function withoutSecretMarks(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecretMarks);
  if (runtime.isRpcSecret(value)) return withoutSecretMarks(runtime.unwrapRpcSecret(value));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, withoutSecretMarks(field)]));
}

function textOf(error: unknown): string {
  if (error instanceof InitFailure) return error.reasons.join("\n");
  return error instanceof Error ? error.message : String(error);
}

/** An engine over one dynamic-provider process. */
export function createEngine(provider: DynamicProcess): Engine {
  const resources = new Map<string, StoredResource>();

  const create = async (target: Omit<StoredResource, "id" | "outputs" | "initErrors">): Promise<StoredResource> => {
    try {
      const { id, outputs } = await provider.create(target.urn, target.inputs);
      return keep({ ...target, id, outputs, initErrors: [] });
    } catch (error) {
      if (error instanceof InitFailure) {
        keep({ ...target, id: error.id, outputs: error.properties, initErrors: error.reasons });
      }
      throw error;
    }
  };

  const update = async (old: StoredResource, inputs: Properties): Promise<StoredResource> => {
    try {
      const outputs = await provider.update(old.urn, old.id, old.outputs, inputs);
      return keep({ ...old, inputs, outputs, initErrors: [] });
    } catch (error) {
      if (error instanceof InitFailure) keep({ ...old, inputs, outputs: error.properties, initErrors: error.reasons });
      throw error;
    }
  };

  const keep = (resource: StoredResource): StoredResource => {
    resources.set(resource.name, resource);
    return resource;
  };

  // Unknown changes are the engine's to find, by the inputs; a resource with init errors is always updated.
  const operationOf = (old: StoredResource, inputs: Properties, diff: DiffAnswer): Step["operation"] => {
    const differs = diff.changes === "unknown" ? !isDeepStrictEqual(old.inputs, inputs) : diff.changes === "some";
    if (differs && diff.replaces.length > 0) return "replace";
    return differs || old.initErrors.length > 0 ? "update" : "same";
  };

  const run = async (program: () => unknown, dryRun: boolean): Promise<Step[]> => {
    const steps: Step[] = [];
    const registered = new Set<string>();
    const superseded: StoredResource[] = [];

    const register = async (name: string, type: string, news: Properties): Promise<StoredResource | undefined> => {
      registered.add(name);
      const old = resources.get(name);
      const urn = `urn:pulumi:${stack}::${project}::${type}::${name}`;
      let operation: Step["operation"] = old === undefined ? "create" : "same";
      try {
        const { inputs: marked, failures } = await provider.check(urn, old?.inputs ?? {}, news);
        const inputs = withoutSecretMarks(marked) as Properties;
        if (failures.length > 0) {
          throw new Error(failures.map(({ property, reason }) => `${property}: ${reason}`).join("\n"));
        }
        const diff = old && (await provider.diff(urn, old.id, old.outputs, inputs));
        if (old && diff) operation = operationOf(old, inputs, diff);
        if (!dryRun) {
          if (operation === "replace" && old && diff?.deleteBeforeReplace) {
            await provider.delete(urn, old.id, old.outputs);
            resources.delete(name);
          }
          if (operation === "create" || operation === "replace") await create({ name, type, urn, inputs });
          if (operation === "replace" && old && !diff?.deleteBeforeReplace) superseded.push(old);
          if (operation === "update" && old) await update(old, inputs);
          if (operation === "same" && old) keep({ ...old, inputs });
        }
        steps.push({ name, operation });
      } catch (error) {
        steps.push({ name, operation, error: textOf(error) });
      }
      return resources.get(name);
    };

    // A resource that is managed elsewhere: read, and not kept.
    const read = async (name: string, type: string, id: string, inputs: Properties) => {
      const urn = `urn:pulumi:${stack}::${project}::${type}::${name}`;
      const found = await provider.read(urn, id, inputs, {});
      if (found.id === "") throw new Error(`resource ${id} does not exist`);
      steps.push({ name, operation: "read" });
      return { id: found.id, state: { ...inputs, ...found.outputs } };
    };

    await runtime.setMocks(
      {
        call: ({ token }) => {
          throw new Error(`this engine has no functions, such as ${token}`);
        },
        newResource: async ({ name, type, inputs, custom, id }) => {
          if (custom !== true) return { id: undefined, state: inputs };
          if (id !== undefined && id !== "") return read(name, type, id, withoutSecretMarks(inputs) as Properties);
          const stored = await register(name, type, withoutSecretMarks(inputs) as Properties);
          return { id: stored?.id, state: { ...inputs, ...stored?.outputs } };
        },
      },
      project,
      stack,
      dryRun,
    );
    await program();
    await runtime.disconnect();

    // After a failure the real engine deletes nothing.
    if (steps.some(({ error }) => error !== undefined)) return steps;
    for (const old of superseded) await provider.delete(old.urn, old.id, old.outputs);
    const gone = [...resources.values()].filter(({ name }) => !registered.has(name));
    return [...steps, ...(await deleteAll(gone, dryRun))];
  };

  const deleteAll = async (doomed: readonly StoredResource[], dryRun: boolean): Promise<Step[]> => {
    const steps: Step[] = [];
    for (const { name, urn, id, outputs } of doomed.toReversed()) {
      try {
        if (!dryRun) {
          await provider.delete(urn, id, outputs);
          resources.delete(name);
        }
        steps.push({ name, operation: "delete" });
      } catch (error) {
        steps.push({ name, operation: "delete", error: textOf(error) });
      }
    }
    return steps;
  };

  const refresh = async (): Promise<Step[]> => {
    const steps: Step[] = [];
    for (const old of [...resources.values()]) {
      try {
        const read = await provider.read(old.urn, old.id, old.outputs, old.inputs);
        if (read.id === "") resources.delete(old.name);
        else {
          const inputs = withoutSecretMarks(read.inputs ?? old.inputs) as Properties;
          keep({ ...old, id: read.id, outputs: read.outputs, inputs, initErrors: [] });
        }
        steps.push({ name: old.name, operation: read.id === "" ? "delete" : "read" });
      } catch (error) {
        steps.push({ name: old.name, operation: "read", error: textOf(error) });
      }
    }
    return steps;
  };

  return {
    resources,
    up: (program) => run(program, false),
    preview: (program) => run(program, true),
    refresh,
    destroy: () => deleteAll([...resources.values()], false),
  };
}
