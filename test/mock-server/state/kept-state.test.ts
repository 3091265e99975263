import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { DataDirectory } from "../../../mock-server/state/data-directory.ts";
import { createMemoryState } from "../../../mock-server/state/memory.ts";
import type { DeploymentRecord, ListenerRecord, RevisionRecord } from "../../../mock-server/control-plane/store/records.ts";
import type { State } from "../../../mock-server/state/repositories.ts";
import type { StateChange, StateKeeper } from "../../../mock-server/state/state-keeper.ts";

type Step = (state: State) => void;

const id = fc.constantFrom("a", "b", "c");
const text = fc.string({ unit: fc.constantFrom("é", "\u{1f600}", "\n", "\0", '"', "x"), maxLength: 4 });
const deploymentOf = (id: string, name: string, sequence: number) =>
  ({
    id,
    name,
    sequence,
    edition: "cloud",
    tenantId: "one",
    sourceConfig: {},
    revisionConfig: {},
    secrets: [],
    deletion: null,
  }) as unknown as DeploymentRecord;
const revisionOf = (id: string, deploymentId: string, sequence: number, source: string) =>
  ({ id, deploymentId, sequence, source, transitions: [] }) as unknown as RevisionRecord;

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(id, text).map(
    ([id, name]): Step =>
      (state) => {
        if (state.deployments.get(id)) return;
        const sequence = state.nextSequence();
        state.deployments.insert(
          deploymentOf(id, name, sequence),
          revisionOf(`${id}-0`, id, sequence, "first"),
          () => false,
        );
      },
  ),
  fc.tuple(id, text).map(
    ([id, source]): Step =>
      (state) => {
        const record = state.deployments.get(id);
        state.deployments.update({ ...(record ?? deploymentOf(id, "none", 0)), source });
      },
  ),
  id.map(
    (id): Step =>
      (state) =>
        state.deployments.remove(id),
  ),
  fc.tuple(id, fc.nat({ max: 2 }), text).map(
    ([id, number, source]): Step =>
      (state) => {
        if (!state.deployments.get(id)) return;
        const revisionId = `${id}-${number}`;
        const known = state.revisions.get(revisionId);
        if (known) state.revisions.update({ ...known, source });
        else state.revisions.insert(revisionOf(revisionId, id, state.nextSequence(), source));
      },
  ),
  fc.tuple(text, text, text).map(
    ([repository, ref, commit]): Step =>
      (state) =>
        state.commits.set(repository, ref, commit),
  ),
  fc.tuple(id, text).map(
    ([id, computeId]): Step =>
      (state) =>
        state.collections.listeners.put({ id, computeId, tenantId: "one" } as ListenerRecord),
  ),
  id.map(
    (id): Step =>
      (state) =>
        state.collections.listeners.remove(id),
  ),
  fc.constant<Step>((state) => state.replace(state.content())),
  fc.constant<Step>((state) => state.clear()),
);

const withoutSequence = (state: State) => {
  const { sequence: _, ...content } = state.content();
  return content;
};

test("what is kept is what is there, whatever happens in whatever order", async () => {
  const folder = await mkdtemp(join(tmpdir(), "kept-state-"));
  try {
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const path = join(folder, String(runs++));
        const directory = await DataDirectory.open(path);
        const state = createMemoryState(directory);
        for (const take of steps) take(state);
        directory.close();
        const later = await DataDirectory.open(path);
        try {
          expect(withoutSequence(createMemoryState(later))).toEqual(withoutSequence(state));
        } finally {
          later.close();
        }
      }),
      { numRuns: 60 },
    );
  } finally {
    await rm(folder, { recursive: true });
  }
});

const nothingKept = {
  sequence: 7,
  deployments: [],
  revisions: [],
  commits: [],
  collections: {
    integrations: [],
    listeners: [],
    uploads: [],
    providers: [],
    tokens: [],
    authSessions: [],
    connections: [],
    oauthClients: [],
    oauthCodes: [],
    oauthGrants: [],
  },
};

/** Keeps nothing, and refuses to from a moment on. */
class FullKeeper implements StateKeeper {
  isFull = false;
  content() {
    return nothingKept;
  }
  write(..._: readonly StateChange[]): void {
    if (this.isFull) throw new Error("the disk is full");
  }
  together<Result>(work: () => Result): Result {
    return work();
  }
  replaceWith(): void {
    this.write();
  }
}

test("what can't be kept doesn't happen", () => {
  const keeper = new FullKeeper();
  const state = createMemoryState(keeper);
  expect(state.nextSequence()).toBe(8);
  state.deployments.insert(deploymentOf("a", "agent", 9), revisionOf("a-0", "a", 9, "first"), () => false);
  state.collections.listeners.put({ id: "l", computeId: "c", tenantId: "one" } as ListenerRecord);
  const before = withoutSequence(state);
  keeper.isFull = true;
  const known = before.deployments[0] as DeploymentRecord;
  const changes: (() => unknown)[] = [
    () => state.deployments.insert(deploymentOf("b", "other", 10), revisionOf("b-0", "b", 10, "first"), () => false),
    () => state.deployments.update({ ...known, source: "changed" }),
    () => state.deployments.remove("a"),
    () => state.revisions.insert(revisionOf("a-1", "a", 11, "second")),
    () => state.revisions.update(revisionOf("a-0", "a", 9, "changed")),
    () => state.commits.set("repository", "main", "c1"),
    () => state.collections.listeners.put({ id: "m", computeId: "d", tenantId: "one" } as ListenerRecord),
    () => state.collections.listeners.remove("l"),
    () => state.replace({ ...nothingKept, sequence: 99 }),
    () => state.clear(),
  ];
  for (const change of changes) {
    expect(change).toThrow("the disk is full");
    expect(withoutSequence(state)).toEqual(before);
  }
});

test("changes that belong together are all made or none, in memory and in what is kept", async () => {
  const folder = await mkdtemp(join(tmpdir(), "kept-state-"));
  const directory = await DataDirectory.open(folder);
  try {
    const state = createMemoryState(directory);
    state.deployments.insert(deploymentOf("a", "agent", 9), revisionOf("a-0", "a", 9, "first"), () => false);
    const before = withoutSequence(state);
    const halfWay = () =>
      state.transaction(() => {
        state.revisions.insert(revisionOf("a-1", "a", 10, "second"));
        state.deployments.remove("a");
        throw new Error("half way");
      });
    expect(halfWay).toThrow("half way");
    expect(withoutSequence(state)).toEqual(before);
    expect(withoutSequence(createMemoryState(directory))).toEqual(before);
  } finally {
    directory.close();
    await rm(folder, { recursive: true });
  }
});
