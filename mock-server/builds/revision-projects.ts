import { rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { graphConfigFileNames } from "../../core/client/wire/conventions.ts";
import { replacedRoutes } from "../agent-server/replaced-routes.ts";
import type { Build, Builds, RevisionOrigin } from "../control-plane/builds.ts";
import type { AgentLogEntry } from "../kit/agent-log.ts";
import { isSecretVariable, type Redaction } from "../kit/redaction.ts";
import type { RunningProject, StartProject } from "../worker/host/running-project.ts";
import { findGraphConfig } from "../worker/load/find-graph-config.ts";
import { readGraphConfig } from "../worker/load/graph-config.ts";
import { projectPath } from "../worker/load/project-path.ts";
import { extractTarball } from "./extract-tarball.ts";
import type { RepositoryFolders } from "./repository-folders.ts";

export interface RevisionProjectsOptions {
  repositories: RepositoryFolders;
  /** Whether to run the code of uploaded tarballs. */
  runUploads: boolean;
  start: StartProject;
  /** Memory limit of each worker, in MiB. @default 1024 */
  memoryMb?: number | undefined;
  /** The source of a revision; `undefined` for an unknown revision. */
  originOf(revisionId: string): RevisionOrigin | undefined;
  /** The tarball at an object path. */
  readUpload(objectPath: string): Buffer | undefined;
  redaction: Redaction;
  /** Called with each line that a revision's code prints or logs. */
  onLog: (entry: AgentLogEntry) => void;
  /** Called with errors that are defects of the server. */
  onDefect: (error: unknown) => void;
}

interface Loaded {
  deploymentId: string;
  sequence: number;
  /** Resolves to `undefined` when this server doesn't run the revision's source. */
  running: Promise<RunningProject | undefined>;
  /** Aborts loading. */
  abort: AbortController;
  /** Whether it ends once its runs have ended. */
  isDraining: boolean;
  /** Deleted when the project has ended. */
  temporaryFolder: string | undefined;
}

/**
 * The projects of revisions. Each revision has its own, from its build until a later revision is live and its runs have
 * ended.
 */
export class RevisionProjects implements Builds, AsyncDisposable {
  readonly #options: RevisionProjectsOptions;
  readonly #loaded = new Map<string, Loaded>();
  /** The projects that are ending. */
  readonly #ending = new Map<Loaded, Promise<void>>();

  constructor(options: RevisionProjectsOptions) {
    this.#options = options;
  }

  build(origin: RevisionOrigin): Promise<Build | undefined> | undefined {
    return this.#isRunHere(origin) ? this.#build(origin) : undefined;
  }

  async #build(origin: RevisionOrigin): Promise<Build | undefined> {
    try {
      const running = await this.#load(origin).running;
      if (!running) return undefined;
      const graphs = running.graphs.map(({ id }) => id).join(", ");
      const lines = [...running.project.warnings, ...replacedRoutes(running), `Loaded the graphs ${graphs}`];
      return { hasFailed: false, lines };
    } catch (error) {
      const lines = `ERROR: the graphs can't be loaded: ${(error as Error).message}`.split("\n");
      return { hasFailed: true, lines: lines.map((line) => this.#options.redaction.text(line)) };
    }
  }

  /** Whether this server runs the code of any revision. */
  get runsCode(): boolean {
    return this.#options.runUploads || !this.#options.repositories.isEmpty;
  }

  /**
   * The project of a deployment's live revision, loaded if this server didn't build it; `undefined` when this server
   * doesn't run its source. Ends the projects of the deployment's earlier revisions.
   * @throws {Error} when the project doesn't load.
   */
  async runningFor(revisionId: string): Promise<RunningProject | undefined> {
    const origin = this.#options.originOf(revisionId);
    if (!origin) return undefined;
    for (const [id, { deploymentId, sequence }] of this.#loaded) {
      if (deploymentId === origin.deploymentId && sequence < origin.sequence) this.release(id);
    }
    const known = this.#loaded.get(revisionId);
    if (known) return known.running;
    return this.#isRunHere(origin) ? this.#load(origin).running : undefined;
  }

  release(revisionId: string): void {
    this.#end(revisionId, true);
  }

  /** Ends the projects of one deployment, or of all, with their runs. */
  end(deploymentId?: string): void {
    const isMeant = (loaded: Loaded) => deploymentId === undefined || loaded.deploymentId === deploymentId;
    for (const loaded of this.#ending.keys()) {
      if (!loaded.isDraining || !isMeant(loaded)) continue;
      loaded.isDraining = false;
      loaded.abort.abort();
      loaded.running
        .then(
          (running) => running?.close(),
          () => undefined,
        )
        .catch(this.#options.onDefect);
    }
    for (const [id, loaded] of this.#loaded) if (isMeant(loaded)) this.#end(id, false);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.end();
    await Promise.all(this.#ending.values());
  }

  #end(revisionId: string, drain: boolean): void {
    const loaded = this.#loaded.get(revisionId);
    if (!loaded) return;
    this.#loaded.delete(revisionId);
    loaded.isDraining = drain;
    if (!drain) loaded.abort.abort();
    const ended = this.#close(loaded, drain).finally(() => this.#ending.delete(loaded));
    this.#ending.set(loaded, ended);
  }

  /** Never rejects: only the end of the server awaits it. */
  async #close(loaded: Loaded, drain: boolean): Promise<void> {
    try {
      const project = await loaded.running.catch(() => undefined);
      await project?.close({ drain });
      if (loaded.temporaryFolder !== undefined) await rm(loaded.temporaryFolder, { recursive: true, force: true });
    } catch (error) {
      this.#options.onDefect(error);
    }
  }

  #load(origin: RevisionOrigin): Loaded {
    const { deploymentId, revisionId, sequence } = origin;
    const abort = new AbortController();
    const loaded: Loaded = {
      deploymentId,
      sequence,
      running: this.#folderOf(origin).then((found) => {
        if (!found) return undefined;
        if (found.isTemporary) loaded.temporaryFolder = found.folder;
        return this.#start(origin, found.folder, abort.signal);
      }),
      abort,
      isDraining: false,
      temporaryFolder: undefined,
    };
    this.#loaded.set(revisionId, loaded);
    // A project that doesn't load is removed; the build, or the caller of runningFor, reports why.
    loaded.running.then(
      (running) => running ?? this.release(revisionId),
      () => this.release(revisionId),
    );
    return loaded;
  }

  /** Whether this server may run the code of a revision's source. */
  #isRunHere({ source, config, repositoryUrl }: RevisionOrigin): boolean {
    if (source === "github") return this.#options.repositories.of(repositoryUrl) !== undefined;
    return source === "internal_source" && this.#options.runUploads && Boolean(config.source_tarball_path);
  }

  async #folderOf({ source, config, repositoryUrl }: RevisionOrigin) {
    if (source === "github") {
      const folder = this.#options.repositories.of(repositoryUrl);
      return folder === undefined ? undefined : { folder, isTemporary: false };
    }
    const path = config.source_tarball_path;
    if (source !== "internal_source" || !this.#options.runUploads || !path) return undefined;
    const tarball = this.#options.readUpload(path);
    return tarball && { folder: await extractTarball(tarball), isTemporary: true };
  }

  async #start(
    { deploymentId, revisionId, config, secrets }: RevisionOrigin,
    folder: string,
    signal: AbortSignal,
  ): Promise<RunningProject> {
    const { start, memoryMb, redaction, onLog, onDefect } = this.#options;
    const path =
      config.graph_config_path ?? relative(folder, findGraphConfig(folder) ?? join(folder, graphConfigFileNames[0]));
    let file: string;
    try {
      file = await projectPath(folder, path);
    } catch (error) {
      throw new Error(`the revision ${(error as Error).message}`);
    }
    const project = await readGraphConfig(file);
    for (const [name, value] of Object.entries(project.env)) if (isSecretVariable(name)) redaction.remember(value);
    const env = { ...project.env, ...Object.fromEntries(secrets.map(({ name, value }) => [name, value])) };
    return start(
      { ...project, env },
      {
        onLog: ({ stream, text, level = stream === "stderr" ? "WARNING" : "INFO" }) =>
          onLog({ deploymentId, revisionId, level, message: text }),
        onDefect,
        memoryMb,
        signal,
      },
    );
  }
}
