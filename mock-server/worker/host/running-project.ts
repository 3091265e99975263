import type { ServedProject } from "../../agent-server/served-project.ts";
import type { GraphProject } from "../load/graph-config.ts";
import type { SupervisorOptions } from "./supervisor.ts";

/** A loaded project, in its own worker. */
export interface RunningProject extends ServedProject, AsyncDisposable {
  readonly project: GraphProject;
  /** Absolute paths of the loaded and bundled source files. */
  readonly files: readonly string[];
  /** Ends the worker: with `drain` after all calls have ended, otherwise at once, which fails them. */
  close(options?: { drain?: boolean }): Promise<void>;
}

export interface ProjectOptions extends SupervisorOptions {
  /** Timeout of an auth handler, in milliseconds. @default 15000 */
  authTimeoutMs?: number;
  /** The time for the cache of users, in milliseconds. @default Date.now */
  now?: () => number;
}

/**
 * Starts a worker for a project and loads everything that the configuration file names.
 * @throws {ProjectLoadError} when a file doesn't load in time, lacks an export, or the library isn't installed.
 */
export type StartProject = (project: GraphProject, options?: ProjectOptions) => Promise<RunningProject>;
