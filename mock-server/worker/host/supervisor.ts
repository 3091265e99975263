import { CallFailure } from "../calls.ts";
import type { GraphProject } from "../load/graph-config.ts";
import { ProjectLoadError } from "../load/project-load-error.ts";
import type { LoadParams } from "../protocol.ts";
import { type ScopeAccess, Scopes } from "./scopes.ts";
import { WatchedThread } from "./watched-worker.ts";
import { type LogLine, ThreadLost, WorkerThread } from "./worker.ts";

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
  /** A thread that has been started ahead and has loaded nothing, to be used and ended as if it had been started here. @default none */
  spare?: WorkerThread | undefined;
  /** Aborted when the project's files are no longer wanted, however long they go on loading. */
  signal?: AbortSignal | undefined;
}

/** The outer variables that programs need to find their way; they hold no secrets. */
const outerVariables = ["PATH", "HOME", "TMPDIR", "TEMP", "TMP", "TZ", "LANG", "SystemRoot"];

/** How a call into a thread is made. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** Whether the call gets a thread that nothing else runs in, so that what happens to the thread is its own doing. */
  isAlone?: boolean;
  /** Called in the end with whether it has put a checkpoint of the graph itself. */
  onEnd?: (hasPut: boolean) => void;
}

/** Most threads at once for calls that get one of their own. */
const mostAlone = 4;

/** Keeps a thread for a project, and starts another when it is lost. */
export class Supervisor {
  readonly #project: GraphProject;
  readonly #env: Record<string, string>;
  readonly #onLog: (line: LogLine) => void;
  readonly #loadTimeoutMs: number;
  readonly #memoryMb: number | undefined;
  readonly #unresponsiveMs: number;
  readonly #signal: AbortSignal | undefined;
  readonly #scopes: Scopes;
  #spare: WorkerThread | undefined;
  readonly #running = new Set<WorkerThread>();
  readonly #turns: (() => void)[] = [];
  #alone = 0;
  #shared: Promise<WatchedThread> | undefined;
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
    this.#signal = options.signal;
    this.#spare = options.spare;
    this.#scopes = new Scopes(options.onDefect ?? console.error);
  }

  /** The thread that calls share, started if there is none. @throws {ProjectLoadError} */
  thread(): Promise<WatchedThread> {
    if (this.#isClosed) return Promise.reject(noLongerServed());
    this.#shared ??= this.#startShared();
    return this.#shared;
  }

  /** Calls a method of a thread; `params` are made with the scope in which it may read and write what `access` has. */
  async call(
    method: string,
    access: ScopeAccess,
    params: (scope: number) => unknown,
    { signal, isAlone = false, onEnd }: CallOptions = {},
  ): Promise<unknown> {
    const use = (thread: WatchedThread) =>
      this.#scopes.with(access, async (id, scope) => {
        try {
          return await thread.call(method, params(id), signal);
        } finally {
          onEnd?.(scope.hasPut);
        }
      });
    try {
      return isAlone ? await this.#withOwnThread(use) : await use(await this.thread());
    } finally {
      if (this.#scopes.size === 0) this.#idle?.();
    }
  }

  async close(drain: boolean): Promise<void> {
    await this.#shared?.catch(() => undefined);
    this.#isClosed = true;
    if (drain && this.#scopes.size > 0) {
      await new Promise<void>((resolve) => {
        this.#idle = resolve;
      });
    }
    await Promise.all([...this.#running].map((thread) => thread.terminate(noLongerServed())));
  }

  async #startShared(): Promise<WatchedThread> {
    try {
      const thread = await this.#start();
      const shared = new WatchedThread(thread, this.#unresponsiveMs, () => this.#forget(shared));
      void thread.ended.then(() => this.#forget(shared));
      return shared;
    } catch (error) {
      this.#shared = undefined;
      throw error;
    }
  }

  /** From now on calls get another thread. */
  async #forget(lost: WatchedThread): Promise<void> {
    const shared = this.#shared;
    if ((await shared?.catch(() => undefined)) === lost && this.#shared === shared) this.#shared = undefined;
  }

  async #withOwnThread<Result>(use: (thread: WatchedThread) => Promise<Result>): Promise<Result> {
    if (this.#alone >= mostAlone) await new Promise<void>((resolve) => this.#turns.push(resolve));
    else this.#alone++;
    let thread: WorkerThread | undefined;
    try {
      if (this.#isClosed) throw noLongerServed();
      thread = await this.#start();
      return await use(new WatchedThread(thread, this.#unresponsiveMs));
    } finally {
      await thread?.terminate(noLongerServed());
      const next = this.#turns.shift();
      if (next) next();
      else this.#alone--;
    }
  }

  async #start(): Promise<WorkerThread> {
    const thread = this.#spare ?? new WorkerThread({ env: this.#env, memoryMb: this.#memoryMb });
    this.#spare = undefined;
    thread.readOutput(this.#onLog);
    this.#running.add(thread);
    void thread.ended.then(() => this.#running.delete(thread));
    this.#scopes.serve(thread.calls);
    try {
      await this.#load(thread);
    } catch (error) {
      await thread.terminate(error as Error);
      throw error;
    }
    return thread;
  }

  async #load(thread: WorkerThread): Promise<void> {
    const { folder, graphs } = this.#project;
    const named = graphs.map(({ id, module, exportName }) => ({ id, module, exportName }));
    const params: LoadParams = { folder, graphs: named, env: this.#env };
    const deadline = AbortSignal.timeout(this.#loadTimeoutMs);
    try {
      await thread.calls.call("load", params, this.#signal ? AbortSignal.any([deadline, this.#signal]) : deadline);
    } catch (error) {
      if (this.#signal?.aborted) throw noLongerServed();
      const files = [...new Set(this.#project.graphs.map(({ module }) => module))].join(", ");
      if (deadline.aborted) {
        const seconds = this.#loadTimeoutMs / 1000;
        throw new ProjectLoadError(`${files} didn't load within ${seconds} s: something in it never ends.`);
      }
      if (error instanceof CallFailure) throw new ProjectLoadError(error.message, { cause: error });
      throw new ProjectLoadError(`${files} didn't load: ${(error as Error).message}`, { cause: error });
    }
  }
}

const noLongerServed = () => new ThreadLost("The graphs of this revision are no longer served.");
