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
import type { AgentLogLevel } from "../kit/agent-log.ts";
import type { GraphProject } from "./load/graph-config.ts";

/** Methods of workers, called by the server. */
export interface WorkerMethods {
  /** The first call: loads graphs, auth handlers and app. Returns the absolute paths of the source files. */
  load(project: GraphProject): string[];
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
  fetchApp(params: { request: PlainRequest; user: AuthUser | null }): PlainResponse;
  /** Returns the next chunk of a response's body, `null` at its end. */
  readAppBody(body: string): Uint8Array | null;
  cancelAppBody(body: string): void;
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
