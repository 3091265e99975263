import { stat } from "node:fs/promises";
import type { GraphSchemas } from "../../agent-server/engine/contract.ts";
import { failureOf } from "../../kit/failure.ts";
import type { FoundTypes, TypedProject } from "../types/found-types.ts";
import type { LogLine } from "./printed-lines.ts";
import { bestOf, completed, lacksTypes } from "./schema-completion.ts";
import { readTypesInWorker } from "./types-worker.ts";

/**
 * The types that a project's graphs are declared with. They don't exist at run time, so they are read from the sources:
 * when a schema lacks them, for all graphs together, and again after a source has changed. Runs in the server.
 */
export class DeclaredTypes {
  readonly #project: TypedProject;
  readonly #onLog: (line: LogLine) => void;
  readonly #closing = new AbortController();
  #found: Promise<FoundTypes> | undefined;

  constructor(project: TypedProject, onLog: (line: LogLine) => void) {
    this.#project = project;
    this.#onLog = onLog;
  }

  /** Completes the schemas of a graph. */
  async complete(graphId: string, schemas: GraphSchemas): Promise<GraphSchemas> {
    if (!lacksTypes(schemas)) return schemas;
    const types = (await this.#types()).graphs[graphId];
    return types ? completed(schemas, types) : schemas;
  }

  /** Completes the schemas of subgraphs, which are by path of node names. */
  async completeSubgraphs(found: Record<string, GraphSchemas>): Promise<Record<string, GraphSchemas>> {
    if (!Object.values(found).some(lacksTypes)) return found;
    const { nodes } = await this.#types();
    return Object.fromEntries(
      Object.entries(found).map(([path, schemas]) => {
        const types = bestOf(nodes[path.slice(path.lastIndexOf("|") + 1)] ?? [], schemas);
        return [path, types ? completed(schemas, types) : schemas];
      }),
    );
  }

  /** Stops reading. */
  close(): void {
    this.#closing.abort(new Error("The graphs of this revision are no longer served."));
  }

  async #types(): Promise<FoundTypes> {
    const before = this.#found;
    if (before && (await hasChanged(await before)) && this.#found === before) this.#found = undefined;
    this.#found ??= this.#read();
    return this.#found;
  }

  async #read(): Promise<FoundTypes> {
    const found = await readTypesInWorker(this.#project, this.#closing.signal).catch((error: unknown): FoundTypes => {
      // The compiler is a package of the project, which can throw anything.
      const warning = `The schemas have the names of fields without their types: ${failureOf(error).message}`;
      return { graphs: {}, nodes: {}, files: [], warnings: [warning] };
    });
    if (this.#closing.signal.aborted) return found;
    for (const text of found.warnings) this.#onLog({ stream: "stderr", level: "WARNING", text });
    return found;
  }
}

async function hasChanged({ files }: FoundTypes): Promise<boolean> {
  const changes = files.map(async ([path, modifiedMs]) => {
    const found = await stat(path).catch(() => undefined);
    return found?.mtimeMs !== modifiedMs;
  });
  return (await Promise.all(changes)).includes(true);
}
