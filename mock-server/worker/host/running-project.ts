import type { ServedProject } from "../../agent-server/served-project.ts";
import type { GraphProject } from "../load/graph-config.ts";
import type { SupervisorOptions } from "./supervisor.ts";

/** A project that is loaded, in a worker of its own. */
export interface RunningProject extends ServedProject, AsyncDisposable {
  readonly project: GraphProject;
  /** The source files that it has loaded, absolute. */
  readonly files: readonly string[];
  /** Ends the worker: with `drain` once all calls have ended, else at once, and they fail. */
  close(options?: { drain?: boolean }): Promise<void>;
}

export interface ProjectOptions extends SupervisorOptions {
  /** How long an auth handler may take, in milliseconds. @default 15000 */
  authTimeoutMs?: number;
}

/**
 * Starts a worker for a project, and loads everything in it that the configuration file names.
 * @throws {ProjectLoadError} when a file doesn't load, or not in time, or doesn't export what it should, or the library isn't installed.
 */
export type StartProject = (project: GraphProject, options?: ProjectOptions) => Promise<RunningProject>;
