import type { Graph } from "../agent-server/engine/graph.ts";
import type { GraphProject } from "./graph-config.ts";

/** A request to the app of a project, as it crosses into the project's thread. */
export interface AppRequest {
  method: string;
  /** Absolute. */
  url: string;
  headers: [name: string, value: string][];
  body: Uint8Array | null;
}

/** What the app answers. */
export interface AppResponse {
  status: number;
  headers: [name: string, value: string][];
  body: ReadableStream<Uint8Array> | null;
}

/** A project whose graphs are loaded. When it is disposed of, runs that are under way come to their end first. */
export interface RunningProject extends AsyncDisposable {
  readonly project: GraphProject;
  readonly graphs: readonly Graph[];
  /** The source files that it has loaded, absolute. */
  readonly files: readonly string[];
  /** Asks the app that the configuration file names under `http.app`. */
  askApp(request: AppRequest, signal: AbortSignal): Promise<AppResponse>;
}

/** One line that a project's code has written. */
export interface OutputLine {
  stream: "stdout" | "stderr";
  text: string;
}

/**
 * Loads a project's graphs, its auth handlers and its app.
 * @throws {Error} when one of them doesn't load; the message names the file and the reason.
 */
export type StartProject = (
  project: GraphProject,
  options: { onOutput: (line: OutputLine) => void },
) => Promise<RunningProject>;
