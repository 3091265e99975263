import type { GraphProject } from "../load/graph-config.ts";
import type { ProjectWorker } from "./project-worker.ts";
import type { LogLine, WorkerThread } from "./worker.ts";

/** A project whose graphs are loaded, in a thread of its own. */
export interface RunningProject extends Pick<ProjectWorker, "graphs" | "call" | "close"> {
  readonly project: GraphProject;
  /** The source files that it has loaded, absolute. */
  readonly files: readonly string[];
}

/**
 * Loads a project's graphs and its app. `onLog` takes the lines that its code prints; `signal` is aborted when the project is no longer wanted
 * before it has loaded; `spare` is a thread that was started ahead for it.
 * @throws {Error} when one of them doesn't load; the message names the file and the reason.
 */
export type StartProject = (
  project: GraphProject,
  options: { onLog: (line: LogLine) => void; signal?: AbortSignal; spare?: WorkerThread | undefined },
) => Promise<RunningProject>;
