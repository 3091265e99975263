import type { CheckpointStore, Execution, NodeStore, StoredCheckpoint } from "../../agent-server/engine/contract.ts";
import type { StreamMode } from "../../agent-server/engine/stream-mode.ts";
import { contains } from "../../agent-server/paging.ts";
import type { Calls } from "../calls.ts";
import type {
  CheckpointGetParams,
  CheckpointListParams,
  CheckpointPutNotice,
  EventsNotice,
  FoundCheckpoint,
  ScopeId,
  StoreOperation,
  StoreParams,
  StoreResult,
  WritesPutNotice,
} from "../protocol.ts";

/** What a call into a thread may read and write on this side. */
export interface ScopeAccess {
  checkpoints?: CheckpointStore | undefined;
  store?: NodeStore;
  publish?: Execution["publish"];
}

class Scope {
  readonly access: ScopeAccess;
  /** Whether the call has put a checkpoint of the graph itself. */
  hasPut = false;
  #tail: Promise<unknown> = Promise.resolve();

  constructor(access: ScopeAccess) {
    this.access = access;
  }

  get checkpoints(): CheckpointStore {
    if (!this.access.checkpoints) throw new TypeError("No checkpoints are kept.");
    return this.access.checkpoints;
  }

  /** Does things in the order in which the thread has asked for them. */
  inTurn<Result>(task: () => Promise<Result>): Promise<Result> {
    const done = this.#tail.then(task);
    this.#tail = done.catch(() => undefined);
    return done;
  }
}

/** The calls into threads that are under way, and what each may read and write. */
export class Scopes {
  readonly #scopes = new Map<ScopeId, Scope>();
  readonly #onDefect: (error: unknown) => void;
  #lastId = 0;

  constructor(onDefect: (error: unknown) => void) {
    this.#onDefect = onDefect;
  }

  /** How many calls are under way. */
  get size(): number {
    return this.#scopes.size;
  }

  /** The call that is under way. */
  get only(): ScopeId | undefined {
    return this.#scopes.keys().next().value;
  }

  /** Opens a scope for as long as `use` takes. What the thread puts later is dropped. */
  async with<Result>(access: ScopeAccess, use: (id: ScopeId, scope: Scope) => Promise<Result>): Promise<Result> {
    const id = ++this.#lastId;
    const scope = new Scope(access);
    this.#scopes.set(id, scope);
    try {
      const result = await use(id, scope);
      await scope.inTurn(async () => undefined);
      return result;
    } finally {
      this.#scopes.delete(id);
    }
  }

  /** Answers what a thread asks for. */
  serve(calls: Calls): void {
    calls.on("checkpoint.get", ({ scope, namespace, id }: CheckpointGetParams) => {
      const { checkpoints, inTurn } = this.#bound(scope);
      return inTurn(async () => found(checkpoints, await checkpoints.get(namespace, id)));
    });
    calls.on("checkpoint.list", ({ scope, namespace, before, limit, filter }: CheckpointListParams) => {
      const { checkpoints, inTurn } = this.#bound(scope);
      return inTurn(async () => {
        const listed = (await checkpoints.list(namespace)).filter(
          ({ id, metadata }) =>
            (before === undefined || id < before) && (filter === undefined || contains(metadata, filter)),
        );
        return Promise.all(listed.slice(0, limit).map((one) => found(checkpoints, one)));
      });
    });
    calls.on("checkpoint.put", ({ scope: id, checkpoint }: CheckpointPutNotice) => {
      const scope = this.#scopes.get(id);
      if (!scope) return;
      if (checkpoint.namespace === "") scope.hasPut = true;
      void scope.inTurn(() => scope.checkpoints.put(checkpoint)).catch(this.#onDefect);
    });
    calls.on("checkpoint.writes", ({ scope: id, writes }: WritesPutNotice) => {
      const scope = this.#scopes.get(id);
      void scope?.inTurn(() => scope.checkpoints.putWrites(writes)).catch(this.#onDefect);
    });
    calls.on("store", async ({ scope, operations }: StoreParams) => {
      const { store } = this.#open(scope).access;
      if (!store) throw new TypeError("There is no store outside of runs.");
      const results: StoreResult[] = [];
      for (const operation of operations) results.push(await operate(store, operation));
      return results;
    });
    calls.on("events", ({ scope, events, size }: EventsNotice) => {
      const publish = this.#scopes.get(scope)?.access.publish;
      if (publish) {
        for (let index = 0; index < events.length; index += 3) {
          publish(events[index] as StreamMode, events[index + 1] as string, events[index + 2] as string);
        }
      }
      calls.notify("taken", { scope, size });
    });
  }

  #open(id: ScopeId): Scope {
    const scope = this.#scopes.get(id);
    if (!scope) throw new TypeError("The call that this belongs to has ended.");
    return scope;
  }

  #bound(id: ScopeId) {
    const scope = this.#open(id);
    return {
      checkpoints: scope.checkpoints,
      inTurn: <Result>(task: () => Promise<Result>) => scope.inTurn(task),
    };
  }
}

async function found(
  checkpoints: CheckpointStore,
  checkpoint: StoredCheckpoint | undefined,
): Promise<FoundCheckpoint | undefined> {
  if (!checkpoint) return undefined;
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
