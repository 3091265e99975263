import { setTimeout as pause } from "node:timers/promises";
import type { GraphProject } from "../../project/graph-config.ts";
import { ProjectLoadError } from "../../project/project-load-error.ts";
import type { Graph } from "../engine/graph.ts";
import { stopAndAsk } from "./blocked-thread.ts";
import { CallFailure } from "./calls.ts";
import { compiledGraph } from "./compiled-graph.ts";
import { type ScopeAccess, Scopes } from "./scopes.ts";
import { type LogLine, ThreadCrashed, ThreadLost, WorkerThread } from "./worker-thread.ts";

export interface ProjectWorkerOptions {
  /** Environment variables on top of those that the project's file names: a deployment's own. */
  env?: Record<string, string>;
  /** Called with each line that the project's code prints. @default prints it on stderr */
  onLog?: (line: LogLine) => void;
  /** Called with what went wrong on the server's side, which is a defect of it. @default prints it on stderr */
  onDefect?: (error: unknown) => void;
  /** How long loading the project's files may take, in milliseconds. @default 60000 */
  loadTimeoutMs?: number;
  /** The most memory for the values of the project's code, in MiB. @default Node.js's own limit */
  memoryMb?: number;
  /** How long code of a graph may keep the thread from answering, in milliseconds, before its run is ended. @default 10000 */
  unresponsiveMs?: number;
}

/** A project's graphs, ready to run in a thread of their own. */
export interface ProjectWorker extends AsyncDisposable {
  readonly graphs: readonly Graph[];
  /**
   * Calls a method that the thread answers; see `thread-main.ts`.
   * @throws {CallFailure} what the method throws. @throws {ThreadLost} when the thread ends meanwhile.
   */
  call(method: string, params: unknown, signal?: AbortSignal): Promise<unknown>;
  /** Ends the thread: with `drain` once all calls have ended, else at once, and they fail. */
  close(options?: { drain?: boolean }): Promise<void>;
}

/**
 * Starts a thread and loads a project's graphs in it.
 * @throws {ProjectLoadError} when a file doesn't load, or not in time, or doesn't export a graph, or the library isn't installed.
 */
export async function startProjectWorker(
  project: GraphProject,
  options: ProjectWorkerOptions = {},
): Promise<ProjectWorker> {
  const supervisor = new Supervisor(project, options);
  await supervisor.thread();
  const close = (choice?: { drain?: boolean }) => supervisor.close(choice?.drain ?? false);
  return {
    graphs: project.graphs.map(({ id, description }) => compiledGraph(id, description, supervisor)),
    call: (method, params, signal) => supervisor.call(method, {}, () => params, signal),
    close,
    [Symbol.asyncDispose]: () => close(),
  };
}

/** The outer variables that programs need to find their way; they hold no secrets. */
const outerVariables = ["PATH", "HOME", "TMPDIR", "TEMP", "TMP", "TZ", "LANG", "SystemRoot"];

/** Keeps a thread for a project: starts another when one is lost, and ends one that doesn't answer. */
export class Supervisor {
  readonly #project: GraphProject;
  readonly #env: Record<string, string>;
  readonly #onLog: (line: LogLine) => void;
  readonly #loadTimeoutMs: number;
  readonly #memoryMb: number | undefined;
  readonly #unresponsiveMs: number;
  readonly #scopes: Scopes;
  /** Which calls have kept their thread from answering. */
  readonly #culprits = new Map<number, Error>();
  /** Threads in which something may still run that nobody waits for. */
  readonly #haunted = new WeakSet<WorkerThread>();
  #thread: Promise<WorkerThread> | undefined;
  #watched: WorkerThread | undefined;
  #isClosed = false;
  #idle: (() => void) | undefined;

  constructor(project: GraphProject, options: ProjectWorkerOptions) {
    const outer = outerVariables.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []));
    this.#project = project;
    this.#env = { ...Object.fromEntries(outer), ...project.env, ...options.env };
    this.#onLog = options.onLog ?? (({ text }) => process.stderr.write(`${text}\n`));
    this.#loadTimeoutMs = options.loadTimeoutMs ?? 60_000;
    this.#memoryMb = options.memoryMb;
    this.#unresponsiveMs = options.unresponsiveMs ?? 10_000;
    this.#scopes = new Scopes(options.onDefect ?? console.error);
  }

  /** The thread, started if there is none. @throws {ProjectLoadError} */
  thread(): Promise<WorkerThread> {
    if (this.#isClosed) return Promise.reject(new ThreadLost("The graphs of this revision are no longer served."));
    this.#thread ??= this.#start();
    return this.#thread;
  }

  /** Calls a method of the thread; `params` are made with the scope in which it may read and write what `access` has. */
  async call(
    method: string,
    access: ScopeAccess,
    params: (scope: number) => unknown,
    signal?: AbortSignal,
    onEnd?: (hasPut: boolean) => void,
  ): Promise<unknown> {
    const thread = await this.thread();
    try {
      return await this.#scopes.with(access, async (id, scope) => {
        this.#watch(thread);
        try {
          return await thread.calls.call(method, params(id), signal);
        } catch (error) {
          if (signal?.aborted) this.#haunted.add(thread);
          const isAlone = this.#scopes.size === 1;
          if (error instanceof ThreadCrashed && isAlone)
            throw new CallFailure({ name: "GraphCrashed", message: error.message });
          throw this.#culprits.get(id) ?? error;
        } finally {
          this.#culprits.delete(id);
          onEnd?.(scope.hasPut);
        }
      });
    } finally {
      if (this.#scopes.size === 0) this.#idle?.();
    }
  }

  async close(drain: boolean): Promise<void> {
    const thread = await this.#thread?.catch(() => undefined);
    this.#isClosed = true;
    if (drain && this.#scopes.size > 0) {
      await new Promise<void>((resolve) => {
        this.#idle = resolve;
      });
    }
    await thread?.terminate(new ThreadLost("The graphs of this revision are no longer served."));
  }

  async #start(): Promise<WorkerThread> {
    const { folder, graphs } = this.#project;
    const start = { folder, graphs: graphs.map(({ id, module, exportName }) => ({ id, module, exportName })) };
    const thread = new WorkerThread({ start, env: this.#env, memoryMb: this.#memoryMb, onLog: this.#onLog });
    this.#scopes.serve(thread.calls);
    void thread.ended.then(() => this.#forget(thread));
    try {
      await this.#load(thread);
    } catch (error) {
      this.#thread = undefined;
      await thread.terminate(error as Error);
      throw error;
    }
    return thread;
  }

  async #load(thread: WorkerThread): Promise<void> {
    const deadline = AbortSignal.timeout(this.#loadTimeoutMs);
    try {
      await thread.calls.call("load", undefined, deadline);
    } catch (error) {
      const files = [...new Set(this.#project.graphs.map(({ module }) => module))].join(", ");
      if (deadline.aborted) {
        const seconds = this.#loadTimeoutMs / 1000;
        throw new ProjectLoadError(`${files} didn't load within ${seconds} s: something in it never ends.`);
      }
      if (error instanceof CallFailure) throw new ProjectLoadError(error.message, { cause: error });
      throw new ProjectLoadError(`${files} didn't load: ${(error as Error).message}`, { cause: error });
    }
  }

  async #forget(thread: WorkerThread): Promise<void> {
    const current = await this.#thread?.catch(() => undefined);
    if (current === thread) this.#thread = undefined;
  }

  /** Looks whether the thread answers, for as long as calls are under way. */
  #watch(thread: WorkerThread): void {
    if (this.#watched === thread) return;
    this.#watched = thread;
    void (async () => {
      while (this.#watched === thread && this.#scopes.size > 0) {
        if (!(await this.#answers(thread))) {
          await this.#endBlocked(thread);
          break;
        }
        await pause(this.#unresponsiveMs / 4, undefined, { ref: false });
      }
      if (this.#watched === thread) this.#watched = undefined;
    })();
  }

  async #answers(thread: WorkerThread): Promise<boolean> {
    const patience = new AbortController();
    const silence = pause(this.#unresponsiveMs, false, { ref: false, signal: patience.signal }).catch(() => false);
    const ended = thread.ended.then(() => true);
    const answers = await Promise.race([thread.ping().then(() => true), ended, silence]);
    patience.abort();
    return answers;
  }

  async #endBlocked(thread: WorkerThread): Promise<void> {
    // From now on calls get a new thread.
    this.#thread = undefined;
    await stopAndAsk(thread.threadId, 5000, async ({ scope, place }) => {
      const where = place === undefined ? "" : ` at ${place}`;
      const message = `The graph kept its thread busy for more than ${this.#unresponsiveMs / 1000} s${where}: the thread was ended.`;
      const reason = new ThreadLost(message);
      const isAlone = this.#scopes.size === 1 && !this.#haunted.has(thread);
      const guilty = scope ?? (isAlone ? this.#scopes.only : undefined);
      if (guilty !== undefined)
        this.#culprits.set(guilty, Object.assign(new Error(message), { name: "GraphUnresponsive" }));
      await thread.terminate(reason);
    });
  }
}
