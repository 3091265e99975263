import fc from "fast-check";
import { expect, test } from "vitest";
import {
  deploymentStatus,
  imageVersion,
  isDeleted,
  isRemoteReconciled,
} from "../../../../mock-server/control-plane/deployments/deployment-state.ts";
import type { ControlPlaneStore } from "../../../../mock-server/control-plane/store/control-plane-store.ts";
import type { DeploymentQuery } from "../../../../mock-server/control-plane/store/deployments.ts";
import type { DeploymentRecord } from "../../../../mock-server/control-plane/store/records.ts";
import { deploymentOf, firstRevisionOf, storeInMemory } from "./builders.ts";

const moment = fc.integer({ min: 0, max: 20 });
const name = fc.string({ unit: fc.constantFrom("a", "b", "-", "1", "é", "\u{1f600}", "\n"), maxLength: 6 });
const tag = fc.constantFrom("t1", "t2", "t3");

/** The fields that a change may set. */
const changes = fc.record({
  readyAt: fc.option(moment),
  deletion: fc.option(
    fc.record({
      requestedAt: fc.constant(0),
      finalAt: fc.option(moment),
      goneAt: fc.option(moment),
      deleteTracingProject: fc.constant(false),
    }),
    { freq: 4 },
  ),
  tagValueIds: fc.uniqueArray(tag),
  revisionConfig: fc.record({ image_uri: fc.constantFrom(null, "acme/agent:1", "acme/agent:2", "acme/agent") }),
});
const fixedParts = fc.record({
  name,
  tenantId: fc.constantFrom("one", "one", "one", "two"),
  source: fc.constantFrom("external_docker", "external_docker", "github"),
  deploymentType: fc.constantFrom(null, "dev", "prod"),
  listenerId: fc.constantFrom(null, "listener-1", "LISTENER-1"),
  /** Handmade snapshots may have sequence numbers that don't increase. */
  isOutOfOrder: fc.constantFrom(false, false, false, true),
});
/** Mostly absent, because few deployments pass many filters. */
const optional = <Value>(value: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
const queries = fc.record({
  offset: fc.constantFrom(0, 0, 1, 3),
  limit: fc.constantFrom(1, 3, 100),
  name: optional(name),
  nameContains: optional(name),
  ids: optional(fc.uniqueArray(fc.nat({ max: 30 }).map(String)).map((ids) => new Set(ids))),
  statuses: optional(
    fc.uniqueArray(fc.constantFrom("READY", "AWAITING_DATABASE", "AWAITING_DELETE", "AWAITING_FINAL_DELETE", "NONE")),
  ),
  tagValueIds: optional(fc.uniqueArray(tag)),
  deploymentType: optional(fc.constantFrom("dev", "prod", "none")),
  imageVersion: optional(fc.constantFrom("1", "2", "3")),
  isRemoteReconciled: optional(fc.boolean()),
  listenerId: optional(fc.constant("listener-1")),
});
type RandomQuery = typeof queries extends fc.Arbitrary<infer Query> ? Query : never;

/** The expected result, from a scan of all deployments. */
function scanned(records: readonly DeploymentRecord[], query: DeploymentQuery): string[] {
  const passes = <Value>(wanted: Value | undefined, test: (wanted: Value) => boolean) =>
    wanted === undefined || test(wanted);
  return records
    .filter(
      (record) =>
        record.tenantId === "one" &&
        !isDeleted(record, query.now) &&
        passes(query.name, (wanted) => record.name === wanted) &&
        passes(query.nameContains, (wanted) => record.name.includes(wanted)) &&
        passes(query.ids, (wanted) => wanted.has(record.id)) &&
        passes(query.statuses, (wanted) => wanted.has(deploymentStatus(record, query.now))) &&
        passes(query.tagValueIds, (wanted) => record.tagValueIds.some((id) => wanted.has(id))) &&
        passes(query.deploymentType, (wanted) => record.sourceConfig.deployment_type === wanted) &&
        passes(query.imageVersion, (wanted) => imageVersion(record) === wanted) &&
        passes(query.isRemoteReconciled, (wanted) => isRemoteReconciled(record) === wanted) &&
        passes(query.listenerId, (wanted) => record.sourceConfig.listener_id?.toLowerCase() === wanted),
    )
    .sort((a, b) => b.sequence - a.sequence)
    .slice(query.offset, query.offset + query.limit)
    .map(({ id }) => id);
}

interface Run {
  state: ControlPlaneStore;
  /** The records that the store should have. */
  records: Map<string, DeploymentRecord>;
  now: number;
  made: number;
}
type Step = (run: Run) => void;

const insertion = fc.tuple(fixedParts, changes).map(
  ([fixed, changed]): Step =>
    (run) => {
      const number = run.made++;
      const record = deploymentOf({
        id: String(number),
        sequence: 1000 * (fixed.isOutOfOrder ? 0 : number) + number,
        tenantId: fixed.tenantId,
        name: fixed.name,
        source: fixed.source,
        sourceConfig: { deployment_type: fixed.deploymentType, listener_id: fixed.listenerId },
        ...changed,
      });
      const holder = [...run.records.values()].find(
        (other) => other.name === record.name && other.tenantId === record.tenantId && !isDeleted(other, run.now),
      );
      const isInserted = run.state.deployments.insert(record, firstRevisionOf(record), run.now);
      // When the clock goes back, two deleted deployments of one name exist again. Only the newer one holds the name.
      if (!holder) expect(isInserted).toBe(true);
      if (isInserted) run.records.set(record.id, record);
    },
);
const update = fc.tuple(fc.nat(), changes).map(
  ([pick, changed]): Step =>
    (run) => {
      const record = [...run.records.values()][pick % Math.max(1, run.records.size)];
      if (!record) return;
      const updated = { ...record, ...changed };
      run.records.set(record.id, updated);
      run.state.deployments.update(updated);
    },
);
const removal = fc.nat().map(
  (pick): Step =>
    (run) => {
      const record = [...run.records.values()][pick % Math.max(1, run.records.size)];
      if (!record) return;
      run.records.delete(record.id);
      run.state.deployments.remove(record.id);
    },
);
const clockMove = moment.map(
  (now): Step =>
    (run) => {
      run.now = now;
    },
);
const question = queries.map(
  (query: RandomQuery): Step =>
    (run) => {
      const fullQuery: DeploymentQuery = {
        ...query,
        now: run.now,
        statuses: query.statuses && new Set(query.statuses),
        tagValueIds: query.tagValueIds && new Set(query.tagValueIds),
      };
      const found = run.state.deployments.list("cloud", "one", fullQuery);
      expect(found.map(({ id }) => id)).toEqual(scanned([...run.records.values()], fullQuery));
      expect(found).toEqual(found.map(({ id }) => run.records.get(id)));
    },
);
const restart: fc.Arbitrary<Step> = fc.constant((run) => run.state.replace(run.state.content()));

const weighted = (weight: number, arbitrary: fc.Arbitrary<Step>) => ({ weight, arbitrary });
const steps = fc.array(
  fc.oneof(
    weighted(6, insertion),
    weighted(3, update),
    weighted(2, removal),
    weighted(2, clockMove),
    weighted(6, question),
    weighted(1, restart),
  ),
  { minLength: 20, maxLength: 60, size: "max" },
);

const run = async (...rounds: Step[][]) => {
  const state: Run = { state: await storeInMemory(), records: new Map(), now: 0, made: 0 };
  for (const step of rounds.flat()) step(state);
};

test("a listing equals a scan of all deployments, after any writes and clock moves", async () => {
  await fc.assert(
    fc.asyncProperty(steps, (made) => run(made)),
    { numRuns: 200 },
  );
});

const uniquelyNamed =
  (number: number): Step =>
  ({ state, records }) => {
    const record = deploymentOf({
      id: String(number),
      sequence: number,
      name: `agent-${number}`,
      source: "external_docker",
      sourceConfig: { listener_id: number % 7 === 0 ? "listener-1" : null },
      revisionConfig: { image_uri: `acme/agent:${number % 1000}` },
      readyAt: number % 20,
      tagValueIds: number % 3 === 0 ? ["t1"] : [],
    });
    records.set(record.id, record);
    state.deployments.insert(record, firstRevisionOf(record), 0);
  };

test("a listing of thousands equals a scan, also after most were removed", async () => {
  const many = Array.from({ length: 3000 }, (_, number) => uniquelyNamed(number));
  const part = fc.constantFrom("1", "11", "111", "1111", "agent-2", "nt-29", "9-", "99", "1212");
  const deep = queries.map((query) => ({ ...query, name: undefined, ids: undefined }));
  const questions = fc.array(
    fc.tuple(deep, optional(part), fc.nat({ max: 3100 }), moment).map(
      ([query, nameContains, offset, now]): Step =>
        ({ state, records }) => {
          const fullQuery: DeploymentQuery = {
            ...query,
            nameContains,
            offset,
            now,
            statuses: query.statuses && new Set(query.statuses),
            tagValueIds: query.tagValueIds && new Set(query.tagValueIds),
          };
          const found = state.deployments.list("cloud", "one", fullQuery);
          expect(found.map(({ id }) => id)).toEqual(scanned([...records.values()], fullQuery));
        },
    ),
    { minLength: 20, maxLength: 40 },
  );
  const removeAllButFew = many.map(
    (_, number): Step =>
      ({ state, records }) => {
        if (number % 5 === 0) return;
        records.delete(String(number));
        state.deployments.remove(String(number));
      },
  );
  await fc.assert(
    fc.asyncProperty(questions, questions, (before, after) => run(many, before, removeAllButFew, after)),
    { numRuns: 4 },
  );
});

test("a push finds exactly the deployments that build from its ref", async () => {
  const { deployments } = await storeInMemory();
  const building = (number: number, buildsOnPush: boolean, ref: string, url = "https://github.com/acme/a.git") => {
    const record = deploymentOf({
      id: String(number),
      sequence: number,
      sourceConfig: { build_on_push: buildsOnPush, repo_url: url },
      revisionConfig: { repo_ref: ref },
    });
    deployments.insert(record, firstRevisionOf(record), 0);
    return record;
  };
  const first = building(1, true, "main", "git@GitHub.com:acme/a.git");
  building(2, false, "main");
  building(3, true, "next");
  const fourth = building(4, true, "main");
  building(5, true, "main", "https://github.com/acme/b");
  const found = () => deployments.buildingFrom("github.com/acme/a", "main").map(({ id }) => id);
  expect(found()).toEqual(["1", "4"]);
  deployments.update({ ...fourth, revisionConfig: { repo_ref: "next" } });
  expect(found()).toEqual(["1"]);
  deployments.update(fourth);
  deployments.update({ ...first, sourceConfig: { ...first.sourceConfig, build_on_push: false } });
  expect(found()).toEqual(["4"]);
  deployments.remove("4");
  expect(found()).toEqual([]);
});
