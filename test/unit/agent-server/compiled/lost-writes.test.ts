import { expect, test } from "vitest";
import type { CheckpointStore, StoredCheckpoint } from "../../../../mock-server/agent-server/engine/contract.ts";
import { OpenCalls } from "../../../../mock-server/worker/host/open-calls.ts";

const checkpoint = (namespace: string) => ({ id: "1", namespace }) as StoredCheckpoint;

/** A store whose puts end as `put` does. */
const storeWith = (put: () => Promise<void>) => ({ put }) as unknown as CheckpointStore;

test.each([
  ["was kept", "", async () => undefined, true],
  ["couldn't be kept", "", () => Promise.reject(new Error("The disk is full")), false],
  ["belongs to a subgraph", "child", async () => undefined, false],
])(
  "a run whose worker is lost continues only from a stored checkpoint: one that %s",
  async (_, namespace, put, hasStored) => {
    const defects: unknown[] = [];
    const calls = new OpenCalls((error) => defects.push(error));
    await using call = calls.open({
      checkpoints: storeWith(() => new Promise((resolve) => setImmediate(resolve)).then(put)),
    });
    void calls.handlers.putCheckpoint(
      { handle: call.handle, checkpoint: checkpoint(namespace) },
      new AbortController().signal,
    );
    expect(await call.hasStored()).toBe(hasStored);
    expect(defects).toHaveLength(put.toString().includes("reject") ? 1 : 0);
  },
);
