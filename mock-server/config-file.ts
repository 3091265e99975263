import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { z } from "zod";
import { ConfigError } from "../core/client/errors.ts";
import { wireSeedSchema } from "./admin/seed.ts";
import type { ScriptedGraph } from "./agent-server/engine/scripted-graph.ts";
import { wireTransitionSettingsSchema } from "./control-plane/revisions/transition-settings.ts";
import { wireFaultRuleSchema } from "./faults/fault-rule.ts";
import { builtInGraphs } from "./graphs/built-in-graphs.ts";
import { declaredGraphs } from "./graphs/declared/declared-graphs.ts";
import { graphDeclarations } from "./graphs/declared/graph-declaration.ts";
import { namingUnknownKeys } from "./kit/unknown-names.ts";
import { readConfigDocument } from "./worker/load/config-document.ts";
import { problemsError, schemaProblems, within } from "./worker/load/config-problems.ts";

/** A configuration file of the mock server, in YAML or JSON. */
export const configSchema = z.strictObject({
  ...wireSeedSchema.shape,
  /** How revisions move: the mode, and rules for deployments by name. */
  transitions: wireTransitionSettingsSchema.optional(),
  faults: z.array(wireFaultRuleSchema).optional(),
  /** API keys with their workspaces. */
  api_keys: z.record(z.string().min(1), z.array(z.string().min(1))).optional(),
  /** Hosts beyond loopback that the server may call. */
  allow_outbound: z.array(z.string().min(1)).optional(),
  /** Folders, relative to this file, by the repository that they stand for. */
  repositories: z.record(z.string().min(1), z.string().min(1)).optional(),
  /** Whether to run the code of uploaded tarballs. */
  run_uploads: z.boolean().optional(),
  /** Memory limit of each worker of a project's graphs, in MiB. */
  worker_memory_mb: z.int().min(64).optional(),
  /** Scripted graphs beside the built-in ones. */
  graphs: graphDeclarations.optional(),
});
export type MockConfig = Omit<z.output<typeof configSchema>, "graphs"> & { graphs?: ScriptedGraph[] };

/**
 * Reads a configuration file.
 * @throws {ConfigError} for a missing or invalid file; the message names the file, and the line and field of each
 * problem.
 */
export async function readMockConfig(path: string): Promise<MockConfig> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    throw new ConfigError(`${path} can't be read: give --config the path of a YAML or JSON file.`, { path, cause });
  }
  const document = readConfigDocument(path, text);
  const result = configSchema.safeParse(document.content, namingUnknownKeys);
  if (!result.success) throw problemsError(path, document, schemaProblems(result.error));
  const { graphs: declarations, ...config } = result.data;
  for (const [url, folder] of Object.entries(config.repositories ?? {})) {
    config.repositories = { ...config.repositories, [url]: resolve(dirname(path), folder) };
  }
  if (!declarations) return config;
  const declared = declaredGraphs(declarations, builtInGraphs);
  if ("graphs" in declared) return { ...config, graphs: declared.graphs };
  throw problemsError(path, document, within("graphs", declared.problems));
}
