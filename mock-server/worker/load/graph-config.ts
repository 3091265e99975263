import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { ConfigError } from "../../../core/client/errors.ts";
import type { ProjectSettings } from "../../agent-server/project-settings.ts";
import { type ConfigDocument, readConfigDocument } from "./config-document.ts";
import { type Problem, problemsError, schemaProblems } from "./config-problems.ts";
import { projectEnvironment } from "./environment.ts";
import { type GraphConfig, graphConfigSchema } from "./graph-config-schema.ts";
import type { CorsSettings } from "./http-config-schema.ts";
import { inertKeyWarnings, problemsWithKeys } from "./known-keys.ts";
import { projectPath } from "./project-path.ts";
import { settingsOf } from "./settings-of.ts";

/** An export of a module of the project. */
export interface ModuleExport {
  /** Absolute path, in the project's folder. */
  module: string;
  exportName: string;
}

export interface ProjectGraph extends ModuleExport {
  id: string;
  description: string | null;
}

/** The groups of routes that a configuration file can disable. */
export const routeGroups = ["assistants", "threads", "runs", "store", "mcp", "a2a", "ui", "meta"] as const;
export type RouteGroup = (typeof routeGroups)[number];

/** How long users are kept instead of authenticating the same headers again. */
export interface AuthCacheSettings {
  /** The lower-case names of the headers that stand for a user. */
  headers: readonly string[];
  ttlSeconds: number;
  maxSize: number;
}

/** The generative user interface of a project. */
export interface ProjectUi {
  /** Absolute paths of the files that export components, by name. */
  files: Record<string, string>;
  /** Packages that the page provides. */
  shared: readonly string[];
}

/** A project, as its graph configuration file describes it. */
export interface GraphProject {
  /** Absolute path of the configuration file. */
  file: string;
  folder: string;
  graphs: ProjectGraph[];
  env: Record<string, string>;
  /** Absolute path of the environment file, if there is one. */
  envFile: string | null;
  auth: (ModuleExport & { disableStudioAuth: boolean; cache: AuthCacheSettings | null }) | null;
  http: {
    app: ModuleExport | null;
    disabled: RouteGroup[];
    cors: CorsSettings | null;
    /** The prefix of all paths, such as `/api`; empty: none. */
    mountPrefix: string;
    /** Whether callers of the server's own routes are authenticated before the app's middleware runs. */
    isAuthFirst: boolean;
    /** Whether callers of the app's own routes are authenticated. */
    isAppGuarded: boolean;
  };
  ui: ProjectUi;
  /** The headers of webhooks still have references to variables, whose names begin with {@link webhookEnvPrefix}. */
  settings: ProjectSettings;
  webhookEnvPrefix: string;
  /** Warnings about keys without effect, one sentence each. */
  warnings: string[];
}

/**
 * Reads a graph configuration file. All problems are reported together.
 * @throws {ConfigError} for a missing or invalid file; the message names the file and the line of each problem.
 */
export async function readGraphConfig(path: string, { isConfined = true } = {}): Promise<GraphProject> {
  const file = resolve(path);
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    const hint = "Give the path of a graph configuration file, such as graph.json.";
    throw new ConfigError(`${path} can't be read.`, { path, hint, cause: error });
  }
  const document = readConfigDocument(path, text);
  const result = graphConfigSchema.safeParse(document.content);
  if (!result.success) {
    throw problemsError(path, document, problemsWithKeys(schemaProblems(result.error), document.content));
  }
  return projectOf(path, file, document, result.data, isConfined);
}

async function projectOf(
  path: string,
  file: string,
  document: ConfigDocument,
  config: GraphConfig,
  isConfined: boolean,
): Promise<GraphProject> {
  const folder = dirname(file);
  const found: Problem[] = [];
  const attempt = async <Value>(at: PropertyKey[], read: () => Promise<Value>): Promise<Value | undefined> => {
    try {
      return await read();
    } catch (error) {
      found.push({ at, text: (error as Error).message });
      return undefined;
    }
  };
  const pathOf = (target: string) => projectPath(folder, target, isConfined);
  const exportOf = (reference: string, kind: string) => moduleExport(reference, kind, pathOf);
  const graphs: ProjectGraph[] = [];
  for (const [id, graph] of Object.entries(config.graphs)) {
    const { path: target, description = null } = typeof graph === "string" ? { path: graph } : graph;
    const at = ["graphs", id, ...(typeof graph === "string" ? [] : ["path"])];
    const found = await attempt(at, () => exportOf(target, "graphs"));
    if (found) graphs.push({ id, ...found, description });
  }
  const files: Record<string, string> = {};
  for (const [name, target] of Object.entries(config.ui ?? {})) {
    const file = await attempt(["ui", name], () => pathOf(target));
    if (file !== undefined) files[name] = file;
  }
  const { auth, http } = config;
  const authExport = auth && (await attempt(["auth", "path"], () => exportOf(auth.path, "auth handlers")));
  const app = http?.app && (await attempt(["http", "app"], () => exportOf(http.app as string, "apps")));
  const env = await attempt(["env"], () => projectEnvironment(folder, config.env, isConfined));
  if (found.length > 0) throw problemsError(path, document, found);
  return {
    file,
    folder,
    graphs,
    env: env?.variables ?? {},
    envFile: env?.file ?? null,
    auth: authExport
      ? { ...authExport, disableStudioAuth: auth.disable_studio_auth ?? false, cache: authCacheOf(auth) }
      : null,
    http: {
      app: app || null,
      disabled: routeGroups.filter((group) => http?.[`disable_${group}`] === true),
      cors: http?.cors ?? null,
      mountPrefix: http?.mount_prefix ?? "",
      isAuthFirst: http?.middleware_order === "auth_first",
      isAppGuarded: http?.enable_custom_route_auth ?? false,
    },
    ui: { files, shared: config.ui_config?.shared ?? [] },
    settings: settingsOf(config),
    webhookEnvPrefix: config.webhooks?.env_prefix ?? "LG_WEBHOOK_",
    warnings: inertKeyWarnings(path, document),
  };
}

function authCacheOf({ cache }: NonNullable<GraphConfig["auth"]>): AuthCacheSettings | null {
  const { cache_keys: names = [], ttl_seconds: ttlSeconds = 60, max_size: maxSize = 1000 } = cache ?? {};
  return names.length === 0 ? null : { headers: names.map((name) => name.toLowerCase()), ttlSeconds, maxSize };
}

/** @throws {Error} whose message is the predicate of a sentence about the key. */
async function moduleExport(
  reference: string,
  kind: string,
  pathOf: (target: string) => Promise<string>,
): Promise<ModuleExport> {
  const separator = reference.lastIndexOf(":");
  const target = reference.slice(0, separator);
  const exportName = reference.slice(separator + 1);
  const isPython =
    separator > 0 ? /\.py$|^[\w.]*$/.test(target) && !/\.[cm]?[jt]sx?$/.test(target) : /\.py$/.test(reference);
  if (isPython)
    throw new Error(`names ${reference}, which is Python: ${kind} here are JavaScript or TypeScript modules`);
  if (separator <= 0 || exportName === "") {
    throw new Error(`is ${reference}, which lacks the export: write ./file.ts:export`);
  }
  return { module: await pathOf(target), exportName };
}
