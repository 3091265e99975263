import { readFile } from "node:fs/promises";
import { z } from "zod";
import { ConfigError } from "../../../core/client/errors.ts";
import type { ScriptedGraph } from "../../agent-server/engine/scripted-graph.ts";
import { namingUnknownKeys } from "../../kit/unknown-names.ts";
import { readConfigDocument } from "../../worker/load/config-document.ts";
import { problemsError, schemaProblems, within } from "../../worker/load/config-problems.ts";
import { declaredGraphs } from "./declared-graphs.ts";
import { graphDeclarations } from "./graph-declaration.ts";
import { graphsOfModule } from "./graphs-module.ts";

const graphsFile = z.strictObject({ graphs: graphDeclarations });

/**
 * Reads scripted graphs: declared in a YAML or JSON file, or exported by a module. They may run the `others` by their
 * ids.
 * @throws {ConfigError} for a missing or invalid file; the message names the file, and the line of each problem.
 */
export async function readGraphs(path: string, others: readonly ScriptedGraph[]): Promise<ScriptedGraph[]> {
  if (/\.[cm]?[jt]s$/.test(path)) return graphsOfModule(path);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    const hint = "Give the path of a YAML or JSON file with graphs, or of a module that exports them.";
    throw new ConfigError(`${path} can't be read.`, { path, hint, cause });
  }
  const document = readConfigDocument(path, text);
  const result = graphsFile.safeParse(document.content, namingUnknownKeys);
  if (!result.success) throw problemsError(path, document, schemaProblems(result.error));
  const declared = declaredGraphs(result.data.graphs, others);
  if ("graphs" in declared) return declared.graphs;
  throw problemsError(path, document, within("graphs", declared.problems));
}
