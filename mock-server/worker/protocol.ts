import type { AuthDecision, AuthEvent, AuthRequest } from "../agent-server/auth/auth-handlers.ts";
import type { AuthUser } from "../agent-server/auth/auth-user.ts";
import type {
  Drawing,
  Execution,
  Fields,
  GraphSchemas,
  GraphSettings,
  Outcome,
  StateChange,
  StateSnapshot,
  StoredCheckpoint,
  StoredItem,
  StoredWrite,
} from "../agent-server/engine/contract.ts";
import type { StreamMode } from "../agent-server/engine/stream-mode.ts";
import type { UiBundle } from "../agent-server/served-project.ts";
import type { AgentLogLevel } from "../kit/agent-log.ts";
import type { RequestChanges } from "../kit/http/changed-request.ts";
import type { GraphProject, ProjectUi } from "./load/graph-config.ts";

/** Methods of workers, called by the server. */
export interface WorkerMethods {
  /** The first call: loads graphs, auth handlers and app. */
  load(project: GraphProject): LoadedProject;
  /** Returns as soon as the worker isn't busy. */
  ping(): void;
  execute(params: ExecuteParams): Outcome;
  states(params: StatesParams): StateSnapshot[];
  update(params: UpdateParams): { namespace: string; id: string };
  draw(params: { graphId: string; depth: number; settings: GraphSettings }): Drawing;
  schemas(params: { graphId: string; settings: GraphSettings }): GraphSchemas;
  subgraphs(params: { graphId: string; recurse: boolean; settings: GraphSettings }): Record<string, GraphSchemas>;
  authenticate(request: AuthRequest): AuthOutcome<AuthUser>;
  authorize(event: AuthEvent): AuthOutcome<AuthDecision>;
  fetchApp(params: { request: AppRequest; user: AuthUser | null }): AppResponse;
  /** Returns the next chunk of a response's body, `null` at its end. */
  readAppBody(body: string): Uint8Array | null;
  cancelAppBody(body: string): void;
  /** Bundles the components of a project in `folder`. */
  bundleUi(params: { folder: string; ui: ProjectUi }): BundledUi;
}

/** Methods of the server, called by workers. Writes are notices, since messages arrive in order. */
export interface ServerMethods {
  /** Without an id, the newest of the namespace. */
  getCheckpoint(params: {
    handle: CallHandle;
    namespace: string;
    id?: string | undefined;
  }): FoundCheckpoint | undefined;
  listCheckpoints(params: CheckpointQuery): FoundCheckpoint[];
  putCheckpoint(params: { handle: CallHandle; checkpoint: StoredCheckpoint }): void;
  putWrites(params: { handle: CallHandle; writes: StoredWrite[] }): void;
  useStore(params: { handle: CallHandle; operations: StoreOperation[] }): StoreResult[];
  publish(params: { handle: CallHandle; events: StreamedEvent[] }): void;
  /** Writes to the log of the project. */
  log(params: { level: AgentLogLevel; text: string }): void;
  /**
   * Sends a request with a relative URL to the server itself, with the rights of `user` unless it has an authorization
   * of its own.
   */
  fetchServer(params: { request: PlainRequest; user: AuthUser | null }): PlainResponse;
  /** Returns the next chunk of a response's body, `null` at its end. */
  readServerBody(body: string): Uint8Array | null;
  cancelServerBody(body: string): void;
  /** Returns the next chunk of the body of a request to the app, `null` at its end. */
  readRequestBody(handle: AppRequestHandle): Uint8Array | null;
  /** Has the server respond to a request to the app, which the app's middleware may have changed. */
  respondBehindApp(params: { handle: AppRequestHandle; changes: RequestChanges }): ResponseBehindApp;
  /** Returns the next chunk of such a response's body, `null` at its end. */
  readBehindApp(params: { handle: AppRequestHandle; response: number }): Uint8Array | null;
  cancelBehindApp(params: { handle: AppRequestHandle; response: number }): void;
}

/** A project that has been loaded in a worker. */
export interface LoadedProject {
  /** Absolute paths of the source files. */
  files: string[];
  /** `null`: the project has no app. */
  app: AppTable | null;
}

/** The bundles of a project's components by name, and the absolute paths of the files in them. */
export interface BundledUi {
  bundles: Record<string, UiBundle>;
  sources: string[];
}

/** What the server knows of an app, to pass only the requests to it that it takes part in. */
export interface AppTable {
  /** In the notation of Hono; `null` for an app that doesn't say. */
  routes: AppRoute[] | null;
  /** Whether a trailing slash makes another path. */
  isStrict: boolean;
}

export interface AppRoute {
  /** Upper-case, `ALL` for any. */
  method: string;
  path: string;
  /** Whether it passes requests on, as far as its signature says. */
  isMiddleware: boolean;
}

/**
 * Identifies a call into a worker, through which the worker reaches the call's checkpoints, store and stream until it
 * ends.
 */
export type CallHandle = number;

/** Name of the error when a function that makes a graph throws outside of a run. */
export const graphNotMade = "GraphNotMade";

/** The plain data of a run, which can be sent to a worker. */
type ExecutionData = Omit<
  Execution,
  "checkpoints" | "signal" | "store" | "publish" | "beginAttempt" | "sleep" | "now" | "uuid"
>;

export interface ExecuteParams extends ExecutionData {
  handle: CallHandle;
  graphId: string;
  keepsState: boolean;
}

export interface StatesParams {
  handle: CallHandle;
  graphId: string;
  settings: GraphSettings;
  threadId: string;
  at: readonly { namespace: string; id?: string | undefined }[];
  subgraphs: boolean;
}

export interface UpdateParams {
  handle: CallHandle;
  graphId: string;
  settings: GraphSettings;
  threadId: string;
  from: { namespace: string; id: string } | undefined;
  supersteps: readonly (readonly StateChange[])[];
  metadata: Fields;
  configurable: Fields;
}

export interface CheckpointQuery {
  handle: CallHandle;
  namespace?: string | undefined;
  /** Only checkpoints before this one. */
  before?: string | undefined;
  limit?: number | undefined;
  /** What the metadata must contain. */
  filter?: Fields | undefined;
}

/** A checkpoint with the writes after it. */
export interface FoundCheckpoint {
  checkpoint: StoredCheckpoint;
  writes: StoredWrite[];
}

/** An operation on the key-value store, named as in the library. */
export type StoreOperation =
  | { kind: "get"; namespace: string[]; key: string }
  | { kind: "put"; namespace: string[]; key: string; value: Fields | null }
  | { kind: "search"; prefix: string[]; filter?: Fields; limit?: number; offset?: number; query?: string }
  | { kind: "list"; prefix?: string[]; suffix?: string[]; maxDepth?: number; limit: number; offset: number };

export type StoreResult = StoredItem | (StoredItem & { score: number | null })[] | string[][] | null;

/** An event of a run's stream; `data` is JSON. */
export type StreamedEvent = [mode: StreamMode | "protocol", name: string, data: string];

/** The outcome of an auth handler. */
export type AuthOutcome<Result> =
  | { kind: "done"; result: Result }
  | { kind: "refused"; status: number; detail: string; headers: Record<string, string> }
  | { kind: "failed" };

/** Identifies a request to the app. */
export type AppRequestHandle = number;

/** A request to the app. `handle` identifies it in calls of the worker until its response is complete. */
export interface AppRequest extends Omit<PlainRequest, "body"> {
  handle: AppRequestHandle;
  /** `"streamed"`: the worker reads it in chunks. */
  body: Uint8Array | "streamed" | null;
}

/** The response of the app. `passedOn` is one of the server that the app returned with its body as it was. */
export interface AppResponse extends PlainResponse {
  passedOn: number | null;
}

/** A response of the server to the app's middleware. */
export interface ResponseBehindApp extends Omit<PlainResponse, "body"> {
  /** Identifies it among those to the same request. */
  response: number;
  hasBody: boolean;
}

/** A request of the Fetch API as plain data. */
export interface PlainRequest {
  method: string;
  url: string;
  headers: [name: string, value: string][];
  body: Uint8Array | null;
}

export interface PlainResponse {
  status: number;
  headers: [name: string, value: string][];
  /** Id of the body, which is read in chunks; `null` without a body. */
  body: string | null;
}
