import type { CheckpointStore, Execution, NodeStore, StoredCheckpoint } from "../../agent-server/engine/contract.ts";
import { contains } from "../../kit/metadata-filter.ts";
import type { Handlers } from "../calls.ts";
import type { CallHandle, FoundCheckpoint, ServerMethods, StoreOperation, StoreResult } from "../protocol.ts";
import type { AppRequests } from "./app-requests.ts";
import type { ServerRequests } from "./server-requests.ts";

/** The parts of the server that a call into a worker may access. */
export interface CallAccess {
  checkpoints?: CheckpointStore | undefined;
  store?: NodeStore;
  publish?: Execution["publish"];
}

/** A call into a worker, which has access until it is disposed. */
class OpenCall implements AsyncDisposable {
  readonly handle: CallHandle;
  readonly access: CallAccess;
  #hasStored = false;
  readonly #onDispose: () => void;
  #tail: Promise<unknown> = Promise.resolve();
  #failure: { error: unknown } | undefined;

  constructor(handle: CallHandle, access: CallAccess, onDispose: () => void) {
    this.handle = handle;
    this.access = access;
    this.#onDispose = onDispose;
  }

  /** Runs tasks on the checkpoints in the order of the worker's messages. */
  inTurn<Result>(task: (checkpoints: CheckpointStore) => Promise<Result>): Promise<Result> {
    const done = this.#tail.then(() => {
      if (!this.access.checkpoints) throw new TypeError("This call stores no checkpoints.");
      return task(this.access.checkpoints);
    });
    this.#tail = done.catch(() => undefined);
    return done;
  }

  /** Whether a checkpoint of the graph itself was stored, after all pending writes of the worker. */
  async hasStored(): Promise<boolean> {
    await this.#tail;
    return this.#hasStored;
  }

  /** Queues a checkpoint. Only {@link allStored} and {@link hasStored} wait for it. */
  putCheckpoint(checkpoint: StoredCheckpoint, onDefect: (error: unknown) => void): void {
    this.put(async (checkpoints) => {
      await checkpoints.put(checkpoint);
      if (checkpoint.namespace === "") this.#hasStored = true;
    }, onDefect);
  }

  /** Queues a write. Only {@link allStored} waits for it. */
  put(task: (checkpoints: CheckpointStore) => Promise<void>, onDefect: (error: unknown) => void): void {
    this.inTurn(task).catch((error) => {
      this.#failure ??= { error };
      onDefect(error);
    });
  }

  /** Waits until all writes of the worker are stored. @throws the first error of a failed write. */
  async allStored(): Promise<void> {
    await this.#tail;
    if (this.#failure) throw this.#failure.error;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#tail;
    this.#onDispose();
  }
}

/** The calls in progress into a project's workers, and the handlers that serve workers by call handle. */
export class OpenCalls {
  readonly #calls = new Map<CallHandle, OpenCall>();
  readonly #onDefect: (error: unknown) => void;
  #lastHandle = 0;

  constructor(onDefect: (error: unknown) => void) {
    this.#onDefect = onDefect;
  }

  /** Opens a call. Writes of the worker after it is disposed are dropped. */
  open(access: CallAccess): OpenCall {
    const handle = ++this.#lastHandle;
    const call = new OpenCall(handle, access, () => this.#calls.delete(handle));
    this.#calls.set(handle, call);
    return call;
  }

  readonly handlers: Omit<
    Handlers<ServerMethods>,
    keyof ServerRequests["handlers"] | keyof AppRequests["handlers"] | "log"
  > = {
    getCheckpoint: ({ handle, namespace, id }) =>
      this.#get(handle).inTurn(async (checkpoints) => {
        const checkpoint = await checkpoints.get(namespace, id);
        return checkpoint && withWrites(checkpoints, checkpoint);
      }),
    listCheckpoints: ({ handle, namespace, before, limit, filter = {} }) =>
      this.#get(handle).inTurn(async (checkpoints) => {
        const listed = (await checkpoints.list(namespace)).filter(
          ({ id, metadata }) => (before === undefined || id < before) && contains(metadata, filter),
        );
        return Promise.all(listed.slice(0, limit).map((one) => withWrites(checkpoints, one)));
      }),
    putCheckpoint: ({ handle, checkpoint }) => {
      this.#calls.get(handle)?.putCheckpoint(checkpoint, this.#onDefect);
    },
    putWrites: ({ handle, writes }) => {
      this.#calls.get(handle)?.put((checkpoints) => checkpoints.putWrites(writes), this.#onDefect);
    },
    useStore: async ({ handle, operations }) => {
      const { store } = this.#get(handle).access;
      if (!store) throw new TypeError("There is no store outside of runs.");
      const results: StoreResult[] = [];
      for (const operation of operations) results.push(await operate(store, operation));
      return results;
    },
    publish: ({ handle, events }) => {
      const { publish } = this.#calls.get(handle)?.access ?? {};
      for (const event of events) publish?.(...event);
    },
  };

  #get(handle: CallHandle): OpenCall {
    const call = this.#calls.get(handle);
    if (!call) throw new TypeError("The call that this belongs to has ended.");
    return call;
  }
}

async function withWrites(checkpoints: CheckpointStore, checkpoint: StoredCheckpoint): Promise<FoundCheckpoint> {
  return { checkpoint, writes: await checkpoints.writes(checkpoint.namespace, checkpoint.id) };
}

async function operate(store: NodeStore, operation: StoreOperation): Promise<StoreResult> {
  if (operation.kind === "get") return store.get(operation.namespace, operation.key);
  if (operation.kind === "search") return store.search(operation.prefix, operation);
  if (operation.kind === "list") return store.listNamespaces(operation);
  if (operation.value === null) await store.delete(operation.namespace, operation.key);
  else await store.put(operation.namespace, operation.key, operation.value);
  return null;
}
