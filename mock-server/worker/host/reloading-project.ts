import { type FSWatcher, watch } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type GraphProject, readGraphConfig } from "../load/graph-config.ts";
import type { RunningProject } from "./running-project.ts";

/** An event of a watched project. */
export type ReloadEvent =
  | { event: "reloaded"; graphs: readonly string[] }
  | { event: "reload_failed"; message: string }
  | { event: "warning"; message: string };

export interface ReloadingProjectOptions {
  /** The graph configuration file. */
  file: string;
  start: (project: GraphProject) => Promise<RunningProject>;
  /** Whether to load the project again when one of its files changes. */
  isWatched: boolean;
  onEvent: (event: ReloadEvent) => void;
}

/** Debounce of file changes, in milliseconds: editors write in several steps. */
const debounceMs = 100;
const sourceFile = /\.(?:[cm]?[jt]sx?|json)$/;

/** A project that is loaded again when one of its files changes. The earlier load serves until the new one succeeds. */
export class ReloadingProject implements AsyncDisposable {
  readonly #options: ReloadingProjectOptions;
  readonly #watchers = new Map<string, FSWatcher>();
  #running: RunningProject;
  #generation = 1;
  #hasFailed = false;
  #timer: NodeJS.Timeout | undefined;
  #work: Promise<void> = Promise.resolve();
  #isClosed = false;

  private constructor(options: ReloadingProjectOptions, running: RunningProject) {
    this.#options = options;
    this.#running = running;
    this.#watch();
  }

  /**
   * Loads a project for the first time.
   * @throws {ConfigError} for an invalid configuration file; {ProjectLoadError} when a module doesn't load.
   */
  static async start(options: ReloadingProjectOptions): Promise<ReloadingProject> {
    return new ReloadingProject(options, await load(options));
  }

  get running(): RunningProject {
    return this.#running;
  }

  /** Increases with each load. */
  get generation(): number {
    return this.#generation;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers.values()) watcher.close();
    await this.#work;
    await this.#running.close();
  }

  #watch(): void {
    if (!this.#options.isWatched || this.#isClosed) return;
    const { project, files } = this.#running;
    const watched = [project.file, ...files, ...(project.envFile === null ? [] : [project.envFile])];
    for (const folder of new Set(watched.map((file) => dirname(file)))) {
      if (this.#watchers.has(folder)) continue;
      const watcher = watch(folder, (_, name) => name !== null && this.#changed(join(folder, name)));
      // A removed folder can no longer be watched.
      watcher.on("error", () => watcher.close());
      this.#watchers.set(folder, watcher);
    }
  }

  #changed(path: string): void {
    const { project, files } = this.#running;
    const isOurs =
      path === project.file ||
      path === project.envFile ||
      files.includes(path) ||
      (dirname(path) === project.folder && basename(path).startsWith(".env")) ||
      (this.#hasFailed && sourceFile.test(path));
    if (!isOurs || this.#isClosed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#work = this.#work.then(() => this.#reload());
    }, debounceMs);
  }

  async #reload(): Promise<void> {
    if (this.#isClosed) return;
    const before = this.#running;
    try {
      this.#running = await load(this.#options);
    } catch (error) {
      this.#hasFailed = true;
      this.#options.onEvent({ event: "reload_failed", message: (error as Error).message });
      return;
    }
    this.#hasFailed = false;
    this.#generation++;
    this.#watch();
    this.#options.onEvent({ event: "reloaded", graphs: this.#running.graphs.map(({ id }) => id) });
    void before.close({ drain: true });
  }
}

async function load({ file, start, onEvent }: ReloadingProjectOptions): Promise<RunningProject> {
  const project = await readGraphConfig(file, { isConfined: false });
  for (const message of project.warnings) onEvent({ event: "warning", message });
  return start(project);
}
