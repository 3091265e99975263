import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import type { OAuthGrantRecord } from "../../../../mock-server/control-plane/store/auth-records.ts";
import { ControlPlaneStore } from "../../../../mock-server/control-plane/store/control-plane-store.ts";
import type { ListenerRecord } from "../../../../mock-server/control-plane/store/records.ts";
import { controlPlaneSchema } from "../../../../mock-server/control-plane/store/schema.ts";
import { DataDirectory } from "../../../../mock-server/kit/store/data-directory.ts";
import { deploymentOf, firstRevisionOf, revisionOf, storeInMemory } from "./builders.ts";

const schemas = [controlPlaneSchema];

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "store-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

async function storeIn(folder: string) {
  const directory = await DataDirectory.open(folder, schemas);
  return { directory, store: new ControlPlaneStore(directory.database, join(folder, "uploads")) };
}

const listenerOf = (id: string, computeId: string): ListenerRecord => ({
  id,
  computeId,
  tenantId: "one",
  version: null,
  computeType: "k8s",
  namespaces: null,
  createdAt: 0,
  updatedAt: 0,
});

type Step = (store: ControlPlaneStore) => void;

const id = fc.constantFrom("a", "b", "c");
const text = fc.string({ unit: fc.constantFrom("é", "\u{1f600}", "\n", "\0", '"', "x"), maxLength: 4 });
const upload = fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes));
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(id, text).map(
    ([id, name]): Step =>
      (store) => {
        if (store.deployments.has(id)) return;
        const record = deploymentOf({ id, name, sequence: store.nextSequence(), secrets: [{ name, value: name }] });
        store.deployments.insert(record, firstRevisionOf(record), 0);
      },
  ),
  fc.tuple(id, text).map(
    ([id, source]): Step =>
      (store) => {
        const record = store.deployments.get(id) ?? deploymentOf({ id });
        store.deployments.update({ ...record, source, tagValueIds: [source], sourceConfig: { repo_url: source } });
      },
  ),
  id.map(
    (id): Step =>
      (store) => {
        store.uploads.removeOf(id);
        store.deployments.remove(id);
      },
  ),
  fc.tuple(id, fc.nat({ max: 2 }), text).map(
    ([deploymentId, number, status]): Step =>
      (store) => {
        if (!store.deployments.has(deploymentId)) return;
        const transitions = [
          { status: "CREATING", at: 1.5 },
          { status, at: 2 },
        ];
        store.revisions.put(revisionOf({ id: `${deploymentId}-${number}`, deploymentId, transitions }));
      },
  ),
  fc.tuple(id, text, upload).map(
    ([deploymentId, id, data]): Step =>
      (store) => {
        if (store.deployments.has(deploymentId)) store.uploads.put({ id, deploymentId, uploadedAt: 3 }, data);
      },
  ),
  fc.tuple(text, text, text).map(
    ([repository, ref, commit]): Step =>
      (store) =>
        store.commits.set(repository, ref, commit),
  ),
  fc.tuple(id, text).map(
    ([id, computeId]): Step =>
      (store) =>
        store.listeners.put(listenerOf(id, computeId)),
  ),
  id.map(
    (id): Step =>
      (store) =>
        store.listeners.remove(id),
  ),
  fc.constant<Step>((store) => store.replace(store.content())),
  fc.constant<Step>((store) => store.clear()),
);

const withoutSequence = (store: ControlPlaneStore) => {
  const { sequence: _, ...content } = store.content();
  return content;
};

test("a data directory has the same contents as a store in memory after any sequence of operations", async () => {
  const folder = await temporaryFolder();
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const path = join(folder, String(runs++));
      const inMemory = await storeInMemory();
      const { directory, store } = await storeIn(path);
      for (const take of steps) {
        take(inMemory);
        take(store);
      }
      directory.close();
      const later = await storeIn(path);
      try {
        const content = withoutSequence(later.store);
        expect(content).toEqual(withoutSequence(inMemory));
        expect(await readdir(join(path, "uploads"))).toHaveLength(content.collections.uploads.length);
      } finally {
        later.directory.close();
      }
    }),
    { numRuns: 60 },
  );
});

test("a transaction makes all of its changes or none", async () => {
  const { directory, store } = await storeIn(await temporaryFolder());
  const record = deploymentOf({ id: "a" });
  store.deployments.insert(record, firstRevisionOf(record), 0);
  store.uploads.put({ id: "sources/a", deploymentId: "a", uploadedAt: 0 }, Buffer.from("tarball"));
  const before = store.content();
  const halfWay = () =>
    store.transaction(() => {
      store.revisions.put(revisionOf({ id: "second", deploymentId: "a", sequence: 2 }));
      store.clear();
      throw new Error("half way");
    });
  expect(halfWay).toThrow("half way");
  expect(store.content()).toEqual(before);
  directory.close();
});

test("a change that can't be stored doesn't happen", async () => {
  const { directory, store } = await storeIn(await temporaryFolder());
  const { database } = directory;
  const record = deploymentOf({ id: "a" });
  store.deployments.insert(record, firstRevisionOf(record), 0);
  store.listeners.put(listenerOf("l", "cluster"));
  const before = store.content();
  const pages = database.get<{ page_count: number }>("PRAGMA page_count")?.page_count ?? 0;
  database.get(`PRAGMA max_page_count = ${pages}`);
  const large = "x".repeat(1_000_000);
  const changes: (() => unknown)[] = [
    () =>
      store.deployments.insert(deploymentOf({ id: "b", source: large }), revisionOf({ id: "c", deploymentId: "b" }), 0),
    () => store.deployments.update({ ...record, source: large }),
    () => store.revisions.put(revisionOf({ id: "second", deploymentId: "a", source: large })),
    () => store.commits.set("repository", "main", large),
    () => store.listeners.put(listenerOf("m", large)),
    () => store.replace({ ...before, deployments: [{ ...record, source: large }] }),
  ];
  for (const change of changes) {
    expect(change).toThrow("The disk is full: the change wasn't stored.");
    expect(store.content()).toEqual(before);
  }
  const kept = withoutSequence(store);
  directory.close();
  const later = await storeIn(directory.folder);
  expect(withoutSequence(later.store)).toEqual(kept);
  later.directory.close();
});

test("uploads are files that only their owner can read, and are deleted with their deployment", async () => {
  const folder = await temporaryFolder();
  const uploads = join(folder, "uploads");
  const { directory, store } = await storeIn(folder);
  for (const id of ["a", "b"]) {
    const record = deploymentOf({ id });
    store.deployments.insert(record, firstRevisionOf(record), 0);
    store.uploads.put({ id: `sources/${id}`, deploymentId: id, uploadedAt: 0 }, Buffer.from(`first of ${id}`));
    store.uploads.put({ id: `sources/${id}`, deploymentId: id, uploadedAt: 1 }, Buffer.from(`second of ${id}`));
  }
  const files = await readdir(uploads);
  expect(files).toHaveLength(2);
  for (const file of files) expect((await stat(join(uploads, file))).mode & 0o777).toBe(0o600);
  store.uploads.removeOf("a");
  expect(await readdir(uploads)).toHaveLength(1);
  expect(store.uploads.read("sources/a")).toBeUndefined();
  expect(store.uploads.read("sources/b")?.toString()).toBe("second of b");
  directory.close();
});

test("a timeline, its activations and its tags are rows that are deleted with their deployment", async () => {
  const store = await storeInMemory();
  const record = deploymentOf({
    id: "a",
    tagValueIds: ["t2", "t1"],
    activations: [{ revisionId: "first of a", sequence: 1, at: 7.5 }],
    deletion: { requestedAt: 1, finalAt: null, goneAt: null, deleteTracingProject: true },
    secretReferences: [],
  });
  const revision = revisionOf({
    id: "first of a",
    deploymentId: "a",
    phases: [{ status: "CREATING", duration: 2 }],
    transitions: [
      { status: "CREATING", at: 0 },
      { status: "DEPLOYED", at: 7.5 },
    ],
    moves: false,
    buildLines: ["line"],
  });
  store.deployments.insert(record, revision, 0);
  expect(store.deployments.get("a")).toEqual(record);
  expect(store.revisions.get("first of a")).toEqual(revision);
  const statuses = (now: number, ...wanted: string[]) =>
    store.revisions.list("a", { now, statuses: new Set(wanted), offset: 0, limit: 10 }).length;
  expect([statuses(7, "CREATING"), statuses(7, "DEPLOYED"), statuses(8, "DEPLOYED", "OTHER")]).toEqual([1, 0, 1]);
  store.deployments.remove("a");
  expect(store.revisions.get("first of a")).toBeUndefined();
});

test("a grant is found by its newest refresh token and by those that have been used", async () => {
  const { oauthGrants } = await storeInMemory();
  const grant: OAuthGrantRecord = {
    id: "g",
    clientId: "c",
    scope: "read",
    subject: "user",
    accessToken: "access",
    accessExpiresAt: 1,
    refreshToken: "r3",
    spentRefreshTokens: ["r1", "r2"],
    isRevoked: false,
  };
  oauthGrants.put(grant);
  for (const token of ["r1", "r2", "r3"]) expect(oauthGrants.findByRefreshToken(token)).toEqual(grant);
  expect(oauthGrants.findByRefreshToken("access")).toBeUndefined();
});

test("numbers are greater than all previous ones, including those from a snapshot", async () => {
  const store = await storeInMemory();
  expect(store.nextSequence()).toBe(1);
  store.replace({ ...store.content(), sequence: 7 });
  expect(store.nextSequence()).toBe(8);
});
