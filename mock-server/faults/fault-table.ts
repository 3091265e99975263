import { nearestName } from "../../core/names.ts";
import type { Clock } from "../kit/clock.ts";
import { globMatcher } from "../kit/glob.ts";
import type { IdSource } from "../kit/ids.ts";
import { namingUnknownKeys } from "../kit/unknown-names.ts";
import { type FaultEffect, type FaultRule, faultRuleSchema } from "./fault-rule.ts";

/** The properties of a request that rules match. */
export interface FaultSubject {
  method: string;
  path: string;
  tenant: string | undefined;
  /** Read only for rules with an operation. */
  operation: string | undefined;
}

/** A rule with the number of times that it matched and was applied. */
export interface FaultReport extends FaultRule {
  id: string;
  matched: number;
  happened: number;
}

interface Entry {
  rule: FaultRule & { id: string };
  matches(subject: FaultSubject): boolean;
  matched: number;
  happened: number;
  second: number;
  passedInSecond: number;
}

/** The fault rules of a server. */
export class FaultTable {
  #entries: Entry[] = [];
  readonly #ids: IdSource;
  readonly #clock: Clock;
  readonly #operations: ReadonlySet<string>;

  /** `operations`: the operation ids that rules may name. */
  constructor(ids: IdSource, clock: Clock, operations: Iterable<string>) {
    this.#ids = ids;
    this.#clock = clock;
    this.#operations = new Set(operations);
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  /**
   * Adds rules after the existing ones.
   * @throws {z.ZodError} for an invalid rule; {RangeError} for an id in use or an unknown operation.
   */
  add(...rules: FaultRule[]): FaultReport[] {
    const added = this.#entriesOf(rules);
    this.#entries = withDistinctIds([...this.#entries, ...added]);
    return added.map(report);
  }

  /**
   * Replaces all rules.
   * @throws {z.ZodError} for an invalid rule; {RangeError} for a duplicate id or an unknown operation.
   */
  replace(rules: FaultRule[]): FaultReport[] {
    this.#entries = withDistinctIds(this.#entriesOf(rules));
    return this.list();
  }

  /** Removes a rule. Returns whether it existed. */
  remove(id: string): boolean {
    const before = this.#entries.length;
    this.#entries = this.#entries.filter(({ rule }) => rule.id !== id);
    return this.#entries.length < before;
  }

  list(): FaultReport[] {
    return this.#entries.map(report);
  }

  clear(): void {
    this.#entries = [];
  }

  /** The effect for a request, if any; counts matches and applications. */
  take(subject: FaultSubject): FaultEffect | undefined {
    for (const entry of this.#entries) {
      if (!entry.matches(subject)) continue;
      entry.matched++;
      if (!this.#happens(entry)) continue;
      entry.happened++;
      return entry.rule.effect;
    }
    return undefined;
  }

  #happens(entry: Entry): boolean {
    const { nth, times = nth === undefined ? Number.POSITIVE_INFINITY : 1, probability, effect } = entry.rule;
    if (nth !== undefined && entry.matched < nth) return false;
    if (entry.happened >= times) return false;
    if (probability !== undefined && this.#ids.random() >= probability) return false;
    if (!effect.rateLimit) return true;
    const second = Math.floor(this.#clock.now() / 1000);
    if (second !== entry.second) {
      entry.second = second;
      entry.passedInSecond = 0;
    }
    return ++entry.passedInSecond > effect.rateLimit.requests;
  }

  #entriesOf(rules: FaultRule[]): Entry[] {
    return rules.map((given, index) => {
      const rule = faultRuleSchema.parse(given, namingUnknownKeys);
      const operation = rule.match?.operation;
      if (operation !== undefined && !this.#operations.has(operation)) {
        throw new RangeError(`Fault rule ${index + 1}: ${unknownOperation(operation, this.#operations)}`);
      }
      return this.#entry(rule);
    });
  }

  #entry(rule: FaultRule): Entry {
    const { method, path, operation, tenant } = rule.match ?? {};
    const pathMatches = path === undefined ? () => true : globMatcher(path);
    return {
      rule: { ...rule, id: rule.id ?? this.#ids.uuid() },
      matches: (subject) =>
        (method === undefined || subject.method === method.toUpperCase()) &&
        pathMatches(subject.path) &&
        (tenant === undefined || subject.tenant === tenant) &&
        (operation === undefined || subject.operation === operation),
      matched: 0,
      happened: 0,
      second: 0,
      passedInSecond: 0,
    };
  }
}

/** A sentence about an unknown operation, with the one that was probably meant. */
function unknownOperation(operation: string, known: ReadonlySet<string>): string {
  const likely = nearestName(operation, [...known]);
  const help = likely ? `"${likely}" is probably meant` : "the API reference under /docs has their ids";
  return `there is no operation "${operation}": ${help}.`;
}

/** @throws {RangeError} for two rules with the same id. */
function withDistinctIds(entries: Entry[]): Entry[] {
  const seen = new Set<string>();
  for (const { rule } of entries) {
    if (seen.has(rule.id)) throw new RangeError(`Two fault rules have the id "${rule.id}".`);
    seen.add(rule.id);
  }
  return entries;
}

function report({ rule, matched, happened }: Entry): FaultReport {
  return { ...rule, matched, happened };
}
