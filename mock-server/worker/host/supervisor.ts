import type { FetchServer } from "../../agent-server/served-project.ts";
import { CallFailure, type MethodName, type Params, type Result } from "../calls.ts";
import type { GraphProject } from "../load/graph-config.ts";
import { ProjectLoadError } from "../load/project-load-error.ts";
import type { LoadedProject, WorkerMethods } from "../protocol.ts";
import { AppRequests } from "./app-requests.ts";
import { GraphWorker, WorkerLost } from "./graph-worker.ts";
import { messageChecks } from "./message-checks.ts";
import { OpenCalls } from "./open-calls.ts";
import type { LogLine } from "./printed-lines.ts";
import { ServerRequests } from "./server-requests.ts";
import { WatchedWorker } from "./watched-worker.ts";

export interface SupervisorOptions {
  /** Called with each line that the project's code prints or logs. @default prints it on stderr */
  onLog?: (line: LogLine) => void;
  /** Called with errors that are defects of the server. @default prints them on stderr */
  onDefect?: (error: unknown) => void;
  /** Timeout for loading the project's files, in milliseconds. @default 60000 */
  loadTimeoutMs?: number;
  /** Memory limit of each worker, in MiB. @default 1024 */
  memoryMb?: number | undefined;
  /** Time without a response after which a worker is ended, in milliseconds. @default 10000 */
  unresponsiveMs?: number;
  /** A prewarmed worker that has loaded nothing; the supervisor takes ownership. @default none */
  prewarmed?: GraphWorker | undefined;
  /** Aborts loading. */
  signal?: AbortSignal | undefined;
}

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** Whether the call gets a dedicated worker, so that only it can have caused the loss of the worker. */
  isDedicated?: boolean;
}

/** Variables of the process that workers inherit; they hold no secrets. */
const outerVariables = ["PATH", "HOME", "TMPDIR", "TEMP", "TMP", "TZ", "LANG", "SystemRoot"];
const maxDedicatedWorkers = 4;

/** Owns the workers of a project, and starts another when the shared one is lost. Runs in the server. */
export class Supervisor {
  readonly openCalls: OpenCalls;
  readonly appRequests = new AppRequests();
  readonly #project: GraphProject;
  /** Writes a line to the log of the project. */
  readonly onLog: (line: LogLine) => void;
  readonly #loadTimeoutMs: number;
  readonly #memoryMb: number | undefined;
  readonly #unresponsiveMs: number;
  readonly #signal: AbortSignal | undefined;
  #prewarmed: GraphWorker | undefined;
  #fetchServer: FetchServer | undefined;
  readonly #workers = new Set<GraphWorker>();
  readonly #waitingForDedicated: (() => void)[] = [];
  #dedicated = 0;
  #shared: Promise<WatchedWorker> | undefined;
  #loaded: LoadedProject = { files: [], app: null };
  #calls = 0;
  #isClosed = false;
  #onIdle: (() => void) | undefined;

  private constructor(project: GraphProject, options: SupervisorOptions) {
    const outer = outerVariables.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []));
    this.#project = { ...project, env: { ...Object.fromEntries(outer), ...project.env } };
    this.onLog = options.onLog ?? (({ text }) => process.stderr.write(`${text}\n`));
    this.#loadTimeoutMs = options.loadTimeoutMs ?? 60_000;
    this.#memoryMb = options.memoryMb;
    this.#unresponsiveMs = options.unresponsiveMs ?? 10_000;
    this.#signal = options.signal;
    this.#prewarmed = options.prewarmed;
    this.openCalls = new OpenCalls(options.onDefect ?? console.error);
  }

  /** Starts a worker and loads the project in it. @throws {ProjectLoadError} */
  static async start(project: GraphProject, options: SupervisorOptions): Promise<Supervisor> {
    const supervisor = new Supervisor(project, options);
    await supervisor.#sharedWorker();
    return supervisor;
  }

  /** Connects the project's code to the server that serves it. */
  connect(fetchServer: FetchServer): void {
    this.#fetchServer = fetchServer;
  }

  get loaded(): LoadedProject {
    return this.#loaded;
  }

  /**
   * Calls a method of a worker.
   * @throws {CallFailure} when the method throws or caused the loss of the worker; {WorkerLost} when the worker is lost
   * otherwise.
   */
  async call<Name extends MethodName<WorkerMethods>>(
    method: Name,
    params: Params<WorkerMethods, Name>,
    { signal, isDedicated = false }: CallOptions = {},
  ): Promise<Result<WorkerMethods, Name>> {
    const use = (worker: WatchedWorker) => worker.call(method, params, signal);
    this.#calls++;
    try {
      return await (isDedicated ? this.#withDedicated(use) : use(await this.#sharedWorker()));
    } finally {
      this.#calls--;
      if (this.#calls === 0) this.#onIdle?.();
    }
  }

  /** Ends the workers: with `drain` after all calls have ended, otherwise at once, which fails them. */
  async close({ drain = false }: { drain?: boolean } = {}): Promise<void> {
    await this.#shared?.catch(() => undefined);
    this.#isClosed = true;
    if (drain && this.#calls > 0) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
    }
    await Promise.all([...this.#workers].map((worker) => worker.terminate(noLongerServed())));
  }

  #sharedWorker(): Promise<WatchedWorker> {
    if (this.#isClosed) return Promise.reject(noLongerServed());
    if (this.#shared) return this.#shared;
    const started = this.#start();
    const shared = started.then((worker) => new WatchedWorker(worker, this.#unresponsiveMs));
    const reset = () => {
      if (this.#shared === shared) this.#shared = undefined;
    };
    this.#shared = shared;
    started.then(({ lost }) => lost).then(reset, reset);
    return shared;
  }

  async #withDedicated<Value>(use: (worker: WatchedWorker) => Promise<Value>): Promise<Value> {
    if (this.#dedicated < maxDedicatedWorkers) this.#dedicated++;
    else await new Promise<void>((resolve) => this.#waitingForDedicated.push(resolve));
    let worker: GraphWorker | undefined;
    try {
      if (this.#isClosed) throw noLongerServed();
      worker = await this.#start();
      return await use(new WatchedWorker(worker, this.#unresponsiveMs));
    } finally {
      await worker?.terminate(noLongerServed());
      const next = this.#waitingForDedicated.shift();
      if (next) next();
      else this.#dedicated--;
    }
  }

  async #start(): Promise<GraphWorker> {
    const worker = this.#prewarmed ?? new GraphWorker({ env: this.#project.env, memoryMb: this.#memoryMb });
    this.#prewarmed = undefined;
    this.#workers.add(worker);
    const requests = new ServerRequests(() => this.#fetchServer);
    void worker.lost.then(async (reason) => {
      if (reason instanceof WorkerLost && reason.name !== "WorkerLost")
        this.onLog({ stream: "stderr", level: "ERROR", text: reason.message });
      void requests.close();
      await worker.terminate(noLongerServed());
      this.#workers.delete(worker);
    });
    worker.serve({
      handlers: { ...this.openCalls.handlers, ...requests.handlers, ...this.appRequests.handlers },
      checks: messageChecks,
      onLog: this.onLog,
    });
    try {
      this.#loaded = await this.#load(worker);
    } catch (error) {
      await worker.terminate(error as Error);
      throw error;
    }
    return worker;
  }

  async #load(worker: GraphWorker): Promise<LoadedProject> {
    const deadline = AbortSignal.timeout(this.#loadTimeoutMs);
    const signal = this.#signal ? AbortSignal.any([deadline, this.#signal]) : deadline;
    try {
      return await worker.calls.call("load", this.#project, signal);
    } catch (error) {
      if (this.#signal?.aborted) throw noLongerServed();
      if (error instanceof CallFailure) throw new ProjectLoadError(error.message, { cause: error });
      const { graphs, auth, http } = this.#project;
      const modules = [...graphs, auth, http.app].flatMap((place) => (place ? [place.module] : []));
      const files = [...new Set(modules)].join(", ");
      const seconds = this.#loadTimeoutMs / 1000;
      const reason = deadline.aborted
        ? `didn't load within ${seconds} s: loading may never end.`
        : `didn't load: ${(error as Error).message}`;
      throw new ProjectLoadError(`${files} ${reason}`, { cause: error });
    }
  }
}

const noLongerServed = () => new WorkerLost("The graphs of this revision are no longer served.");
