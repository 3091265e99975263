import { Worker } from "node:worker_threads";
import { z } from "zod";
import type { FoundTypes, TypedProject } from "../types/found-types.ts";
import { defaultMemoryMb } from "./graph-worker.ts";

/** The entry module of the worker: among the sources, or beside the bundle that includes this file. */
const entry = import.meta.url.endsWith(".ts")
  ? new URL("../types/types-main.ts", import.meta.url)
  : new URL("./types.js", import.meta.url);

const timeoutMs = 120_000;

const schema = z.record(z.string(), z.unknown()).optional();
const graphTypes = z.object({ state: schema, input: schema, output: schema, context: schema });
// The compiler is a package of the project, which can post anything.
const foundTypes = z.object({
  graphs: z.record(z.string(), graphTypes),
  nodes: z.record(z.string(), z.array(graphTypes)),
  files: z.array(z.tuple([z.string(), z.number()])),
  warnings: z.array(z.string()),
});

/**
 * Reads a project's types with its own compiler, in a worker that ends afterwards: the compiler blocks its thread for
 * seconds, and takes hundreds of megabytes.
 * @throws {Error} when the project has no usable compiler, or that fails; the reason of the aborted signal.
 */
export async function readTypesInWorker({ folder, graphs }: TypedProject, closed: AbortSignal): Promise<FoundTypes> {
  const signal = AbortSignal.any([closed, AbortSignal.timeout(timeoutMs)]);
  const worker = new Worker(entry, {
    workerData: { folder, graphs },
    env: {},
    stdout: true,
    stderr: true,
    name: "types",
    resourceLimits: { maxOldGenerationSizeMb: defaultMemoryMb },
  });
  // The process can end while types are read for graphs that have been replaced.
  worker.once("online", () => worker.unref());
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  worker.once("message", resolve);
  worker.once("error", reject);
  worker.once("exit", (code) => reject(new Error(`the compiler's worker ended with code ${code}.`)));
  signal.addEventListener("abort", () => reject(signal.reason));
  try {
    signal.throwIfAborted();
    const found = foundTypes.safeParse(await promise);
    if (!found.success) throw new Error("what the compiler's worker sent aren't types.");
    return found.data as FoundTypes;
  } finally {
    await worker.terminate();
  }
}
