import {
  deploymentStatus,
  imageVersion,
  isGone,
  isRemoteReconciled,
  statusMomentsOf,
} from "../control-plane/deployment-state.ts";
import { MomentQueue } from "./moment-queue.ts";
import { NameParts } from "./name-parts.ts";
import type { DeploymentRecord } from "./records.ts";
import type { DeploymentQuery } from "./repositories.ts";
import { isInAll, pageOfSlots } from "./slot-query.ts";
import { SlotSet } from "./slot-set.ts";

/** Fewer free slots than this are never worth moving the others together. */
const fewSlots = 512;

/**
 * The deployments of one workspace, in slots that are numbered in the order of their sequence, and for each value that a listing can be narrowed to the set of the slots
 * that have it. What is written is put into the sets when somebody next asks, so that a server that is only written to pays nothing for them.
 */
export class DeploymentIndex {
  /** By slot; `undefined` where a deployment was removed. */
  #records: (DeploymentRecord | undefined)[] = [];
  #sequences: number[] = [];
  #count = 0;
  /** The slots below it are in the sets. */
  #indexed = 0;
  /** The slots below it are among the names. */
  #named = 0;
  readonly #sets = new Map<string, SlotSet>();
  readonly #names = new NameParts();
  /** By slot, as of `#now`; `undefined` for what is gone or removed. */
  #statuses: (string | undefined)[] = [];
  #now = Number.NEGATIVE_INFINITY;
  readonly #moments = new MomentQueue();
  /** By slot, the moment at which it is looked at again; infinite where none is known. */
  #due: number[] = [];

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  insert(record: DeploymentRecord): void {
    this.#count++;
    if (record.sequence > (this.#sequences.at(-1) ?? Number.NEGATIVE_INFINITY)) {
      this.#records.push(record);
      this.#sequences.push(record.sequence);
      return;
    }
    const slot = this.#lowerBound(record.sequence);
    this.#records.splice(slot, 0, record);
    this.#sequences.splice(slot, 0, record.sequence);
    this.#forgetSets();
  }

  update(record: DeploymentRecord): void {
    const slot = this.#slotOf(record);
    if (slot < 0) return;
    const before = this.#records[slot] as DeploymentRecord;
    this.#records[slot] = record;
    if (slot >= this.#indexed) return;
    const keys = keysOf(record);
    const keysBefore = keysOf(before);
    for (const key of keysBefore) if (!keys.includes(key)) this.#leave(key, slot);
    for (const key of keys) if (!keysBefore.includes(key)) this.#enter(key, slot);
    this.#classify(slot);
  }

  remove(record: DeploymentRecord): void {
    const slot = this.#slotOf(record);
    if (slot < 0) return;
    const present = this.#records[slot] as DeploymentRecord;
    this.#records[slot] = undefined;
    this.#count--;
    if (slot < this.#indexed) {
      for (const key of keysOf(present)) this.#leave(key, slot);
      this.#classify(slot);
    }
    if (this.#records.length > 2 * this.#count + fewSlots) this.#compact();
  }

  /** One page, newest first. */
  page(query: DeploymentQuery): DeploymentRecord[] {
    this.#catchUp(query.now);
    const alternatives = this.#alternativesOf(query);
    if (!alternatives) return [];
    const part = query.nameContains;
    if (part === undefined || part === "") return this.#read({ ...query, alternatives });
    this.#catchUpNames();
    const candidates = this.#names.candidates(part);
    if (!candidates) return [];
    const nameOf = (slot: number) => this.#records[slot]?.name;
    // To count those before an offset, it must be known of each whether it holds the part.
    const isCounted = query.offset > 0 && !candidates.isExact;
    const sets = isCounted ? [this.#names.holding(part, this.#named, nameOf)] : candidates.sets;
    for (const set of sets) alternatives.push([set]);
    const accept = (slot: number) => nameOf(slot)?.includes(part) === true;
    return this.#read({ ...query, alternatives, accept: isCounted || candidates.isExact ? undefined : accept });
  }

  /** Those of `records` that pass the query, newest first. */
  pageOf(records: readonly DeploymentRecord[], query: DeploymentQuery): DeploymentRecord[] {
    this.#catchUp(query.now);
    const alternatives = this.#alternativesOf(query);
    if (!alternatives) return [];
    const { nameContains: part = "", offset, limit } = query;
    return records
      .filter((record) => record.name.includes(part) && isInAll(alternatives, this.#slotOf(record)))
      .sort((a, b) => b.sequence - a.sequence)
      .slice(offset, offset + limit);
  }

  #read(query: Omit<Parameters<typeof pageOfSlots>[0], "end">): DeploymentRecord[] {
    const slots = pageOfSlots({ ...query, end: this.#records.length });
    return slots.map((slot) => this.#records[slot] as DeploymentRecord);
  }

  /** The sets that a deployment must be in, one of each; `undefined` when there is no such deployment. */
  #alternativesOf(query: DeploymentQuery): SlotSet[][] | undefined {
    const wanted = [["listed"]];
    const wantAny = (kind: string, values: Iterable<unknown>) => {
      wanted.push([...values].map((value) => `${kind} ${value}`));
    };
    if (query.statuses) wantAny("status", query.statuses);
    if (query.deploymentType !== undefined) wantAny("type", [query.deploymentType]);
    if (query.imageVersion !== undefined) wantAny("image", [query.imageVersion]);
    if (query.tagValueIds) wantAny("tag", query.tagValueIds);
    if (query.isRemoteReconciled !== undefined) wantAny("remote", [query.isRemoteReconciled]);
    if (query.listenerId !== undefined) wantAny("listener", [query.listenerId]);
    const alternatives: SlotSet[][] = [];
    for (const keys of wanted) {
      const sets = keys.map((key) => this.#sets.get(key)).filter((set) => set !== undefined);
      if (sets.length === 0) return undefined;
      alternatives.push(sets);
    }
    return alternatives;
  }

  #catchUp(now: number): void {
    const isBack = now < this.#now;
    this.#now = now;
    if (isBack) {
      this.#moments.clear();
      this.#due = [];
      for (let slot = 0; slot < this.#indexed; slot++) this.#classify(slot);
    }
    for (let slot = this.#moments.takeDue(now); slot !== undefined; slot = this.#moments.takeDue(now)) {
      this.#due[slot] = Number.POSITIVE_INFINITY;
      this.#classify(slot);
    }
    for (; this.#indexed < this.#records.length; this.#indexed++) {
      const record = this.#records[this.#indexed];
      if (!record) continue;
      for (const key of keysOf(record)) this.#enter(key, this.#indexed);
      this.#classify(this.#indexed);
    }
  }

  /** A name never changes, and what is removed is listed no more: so names are only added. */
  #catchUpNames(): void {
    for (; this.#named < this.#records.length; this.#named++) {
      const record = this.#records[this.#named];
      if (record) this.#names.add(record.name, this.#named);
    }
  }

  /** Puts a slot into the set of the status that its deployment has by now. */
  #classify(slot: number): void {
    const record = this.#records[slot];
    const status = record && !isGone(record, this.#now) ? deploymentStatus(record, this.#now) : undefined;
    const before = this.#statuses[slot];
    if (status !== before) {
      if (before !== undefined) this.#leave(`status ${before}`, slot);
      if (status !== undefined) this.#enter(`status ${status}`, slot);
      if (before === undefined) this.#enter("listed", slot);
      if (status === undefined) this.#leave("listed", slot);
      this.#statuses[slot] = status;
    }
    if (record) this.#await(record, slot);
  }

  /** Has a slot looked at again when its deployment next takes another status. */
  #await(record: DeploymentRecord, slot: number): void {
    const coming = statusMomentsOf(record).filter((moment) => moment > this.#now);
    const soonest = Math.min(...coming);
    if (soonest >= (this.#due[slot] ?? Number.POSITIVE_INFINITY)) return;
    this.#due[slot] = soonest;
    this.#moments.add(soonest, slot);
  }

  #enter(key: string, slot: number): void {
    let set = this.#sets.get(key);
    if (!set) {
      set = new SlotSet();
      this.#sets.set(key, set);
    }
    set.add(slot);
  }

  #leave(key: string, slot: number): void {
    const set = this.#sets.get(key);
    set?.delete(slot);
    if (set?.size === 0) this.#sets.delete(key);
  }

  #compact(): void {
    this.#records = this.#records.filter((record) => record !== undefined);
    this.#sequences = (this.#records as DeploymentRecord[]).map(({ sequence }) => sequence);
    this.#forgetSets();
  }

  #forgetSets(): void {
    this.#sets.clear();
    this.#names.clear();
    this.#moments.clear();
    this.#statuses = [];
    this.#due = [];
    this.#indexed = 0;
    this.#named = 0;
  }

  /** Where a deployment is; -1 when it isn't here. Sequences are the same in snapshots made by hand only. */
  #slotOf({ id, sequence }: DeploymentRecord): number {
    for (let slot = this.#lowerBound(sequence); this.#sequences[slot] === sequence; slot++) {
      if (this.#records[slot]?.id === id) return slot;
    }
    return -1;
  }

  #lowerBound(sequence: number): number {
    let low = 0;
    let high = this.#sequences.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#sequences[middle] as number) < sequence) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** What a deployment is found by that doesn't depend on the time. */
function keysOf(record: DeploymentRecord): string[] {
  const { sourceConfig, tagValueIds } = record;
  const keys = [`remote ${isRemoteReconciled(record)}`];
  const addGiven = (kind: string, value: unknown) => {
    if (value !== null && value !== undefined) keys.push(`${kind} ${value}`);
  };
  addGiven("type", sourceConfig.deployment_type);
  addGiven("image", imageVersion(record));
  // Clients may write identifiers in upper case.
  addGiven("listener", sourceConfig.listener_id && String(sourceConfig.listener_id).toLowerCase());
  for (const id of tagValueIds) addGiven("tag", id);
  return keys;
}
