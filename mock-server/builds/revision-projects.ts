import { rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { graphConfigFileNames } from "../../core/client/wire/naming.ts";
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
  /** Whether the code of uploaded tarballs is run. */
  runUploads: boolean;
  start: StartProject;
  /** What each worker may take, in MiB. @default 1024 */
  memoryMb?: number | undefined;
  /** What a revision is built from; `undefined` for one that isn't there. */
  originOf(revisionId: string): RevisionOrigin | undefined;
  /** The tarball at an object path. */
  readUpload(objectPath: string): Buffer | undefined;
  redaction: Redaction;
  /** Takes what a revision's code prints. */
  onLog: (entry: AgentLogEntry) => void;
  /** Takes what went wrong on the server's side, which is a defect of it. */
  onDefect: (error: unknown) => void;
}

interface Loaded {
  deploymentId: string;
  sequence: number;
  /** `undefined`: its source isn't run here. */
  running: Promise<RunningProject | undefined>;
  /** Aborted to give up what is still loading. */
  abort: AbortController;
  /** Whether it has been told to end after its runs. */
  isDraining: boolean;
  /** To be removed at the end. */
  temporaryFolder: string | undefined;
}

/** The projects that revisions run: each revision has one of its own, from its build until a later revision is live and the runs have ended. */
export class RevisionProjects implements Builds, AsyncDisposable {
  readonly #options: RevisionProjectsOptions;
  readonly #loaded = new Map<string, Loaded>();
  /** What is still to end. */
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
      return { hasFailed: false, lines: [...running.project.warnings, `Loaded the graphs ${graphs}`] };
    } catch (error) {
      const lines = `ERROR: the graphs can't be loaded: ${(error as Error).message}`.split("\n");
      return { hasFailed: true, lines: lines.map((line) => this.#options.redaction.text(line)) };
    }
  }

  /** Whether any revision's code may be run here. */
  get runsCode(): boolean {
    return this.#options.runUploads || !this.#options.repositories.isEmpty;
  }

  /**
   * The project of the revision that serves a deployment, which is loaded if this server didn't build it; `undefined` when its source isn't run here. Projects of the
   * deployment's earlier revisions end.
   * @throws {Error} when it doesn't load.
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

  /** Ends the projects of one deployment, or of all, and their runs. */
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

  /** Never throws: nobody waits for it but the end of the server. */
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
    // What doesn't load is told by the build, or to the one who asks for it, and has no place here.
    loaded.running.then(
      (running) => running ?? this.release(revisionId),
      () => this.release(revisionId),
    );
    return loaded;
  }

  /** Whether a revision's source may be code that is run here. */
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
