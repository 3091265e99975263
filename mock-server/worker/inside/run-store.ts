import type { BaseStore } from "@langchain/langgraph";
import type { Fields, StoredItem } from "../../agent-server/engine/contract.ts";
import type { Calls } from "../calls.ts";
import type { CallHandle, ServerMethods, StoreOperation, StoreResult, WorkerMethods } from "../protocol.ts";
import type { Library } from "./library.ts";

type Operations = Parameters<BaseStore["batch"]>[0];

/** The server's key-value store, for the library's nodes in the worker. */
export function runStore(library: Library, calls: Calls<WorkerMethods, ServerMethods>, handle: CallHandle): BaseStore {
  class RunStore extends library.BaseStore {
    override async batch<Op extends Operations>(operations: Op): Promise<never> {
      const results = await calls.call("useStore", { handle, operations: [...operations].map(toOperation) });
      return results.map(toResult) as never;
    }
  }
  return new RunStore();
}

function toOperation(operation: Operations[number]): StoreOperation {
  if ("namespacePrefix" in operation) {
    const { namespacePrefix: prefix, filter, limit, offset, query } = operation;
    return { kind: "search", prefix, ...given({ filter, limit, offset, query }) };
  }
  if ("value" in operation) {
    const { namespace, key, value } = operation;
    return { kind: "put", namespace, key, value: value === null ? null : JSON.parse(JSON.stringify(value)) };
  }
  if ("key" in operation) return { kind: "get", namespace: operation.namespace, key: operation.key };
  const { matchConditions = [], maxDepth, limit, offset } = operation;
  const pathOf = (type: string) => matchConditions.find(({ matchType }) => matchType === type)?.path;
  return { kind: "list", limit, offset, ...given({ prefix: pathOf("prefix"), suffix: pathOf("suffix"), maxDepth }) };
}

function given<Values extends Fields>(values: Values): { [Name in keyof Values]?: NonNullable<Values[Name]> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}

function toResult(result: StoreResult): unknown {
  if (Array.isArray(result)) return result.map((one) => (Array.isArray(one) ? one : toItem(one)));
  return result && toItem(result);
}

function toItem({ created_at: createdAt, updated_at: updatedAt, ...item }: StoredItem): object {
  return { ...item, createdAt: new Date(createdAt), updatedAt: new Date(updatedAt) };
}
