import { isDeepStrictEqual } from "node:util";
import {
  type Deployment,
  isMarkerName,
  isMasked,
  type Secret,
  type SecretReference,
} from "../client/wire/deployments.ts";
import type { DesiredDeployment } from "../declare/deployment.ts";
import { markerEntries } from "./ownership.ts";

/** What has to change in a deployment's environment: names only, except for the entries that are kept. */
export interface EnvironmentChange {
  added: readonly string[];
  changed: readonly string[];
  /** No longer declared. */
  dropped: readonly string[];
  /** On the platform but never declared. They are sent along, because a PATCH replaces the whole list. */
  kept: readonly Secret[];
  /** Names of kept entries whose values the platform hides, so that they can't be sent. */
  hidden: readonly string[];
}

export interface EnvironmentOptions {
  /** The declaration that was last applied, as far as its values are known. */
  previous?: DesiredDeployment | undefined;
  /** How to treat a value that the platform hides and `previous` doesn't have. @default "same" */
  unreadable?: "same" | "changed" | undefined;
  /**
   * Undeclared names to drop, or all of them. Any other undeclared entry is kept.
   * @default those that `previous` declares
   */
  droppable?: readonly string[] | "all" | undefined;
}

/** The declared entries: plain ones first, then secrets. */
export function declaredEntries(desired: DesiredDeployment): Secret[] {
  return Object.entries({ ...desired.env, ...desired.secrets }).map(([name, value]) => ({ name, value }));
}

/** The whole list to send. */
export function environmentEntries(
  desired: DesiredDeployment,
  kept: readonly Secret[],
  marker: string | undefined,
): Secret[] {
  return [...declaredEntries(desired), ...kept, ...(marker === undefined ? [] : markerEntries(marker))];
}

/**
 * Compares the declared environment with the platform's, in memory. Where the platform hides a value, the one declared
 * last (`previous`) is compared instead; where that isn't known, `unreadable` decides.
 */
export function compareEnvironment(
  desired: DesiredDeployment,
  observed: readonly Secret[] | null | undefined,
  { previous, unreadable = "same", droppable }: EnvironmentOptions,
): EnvironmentChange {
  const wanted = new Map(declaredEntries(desired).map(({ name, value }) => [name, value]));
  const before = new Map(previous && declaredEntries(previous).map(({ name, value }) => [name, value]));
  const present = observed && new Map(observed.map(({ name, value }) => [name, value]));
  const hides = hidesValues(observed);
  const isHidden = (value: string) => hides && isMasked(value);
  const isSameAsHidden = (name: string, value: string) =>
    before.has(name) ? before.get(name) === value : unreadable === "same";

  const added: string[] = [];
  const changed: string[] = [];
  for (const [name, value] of wanted) {
    const shown = present?.get(name);
    if (shown === value) continue;
    if (present && shown === undefined) added.push(name);
    else if (shown !== undefined && !isHidden(shown)) changed.push(name);
    else if (!isSameAsHidden(name, value)) changed.push(name);
  }
  const mayBeDropped = (name: string) => droppable === "all" || (droppable ?? [...before.keys()]).includes(name);
  const undeclared = (observed ?? []).filter(({ name }) => !isMarkerName(name) && !wanted.has(name));
  const kept = undeclared.filter(({ name }) => !mayBeDropped(name));
  const unseen = observed ? [] : [...before.keys()].filter((name) => !wanted.has(name) && mayBeDropped(name));
  return {
    added,
    changed,
    dropped: [...undeclared.map(({ name }) => name).filter(mayBeDropped), ...unseen],
    kept,
    hidden: kept.filter(({ value }) => isHidden(value)).map(({ name }) => name),
  };
}

/** Whether the platform hides values. Empty values may stand for hidden ones, but not where others are shown. */
export function hidesValues(observed: readonly Secret[] | null | undefined): boolean {
  const values = (observed ?? []).map(({ value }) => value);
  return values.some((value) => value !== "" && isMasked(value)) || values.every((value) => value === "");
}

/**
 * The values in a deployment's environment to redact: all except the marker, masked values and those declared as plain.
 * The platform may quote any of them in an error, even one that was just replaced or that isn't declared here.
 */
export function secretValuesOf(
  { secrets }: Pick<Deployment, "secrets">,
  plain: Readonly<Record<string, string>> = {},
): string[] {
  return (secrets ?? [])
    .filter(({ name, value }) => !isMarkerName(name) && !Object.hasOwn(plain, name) && !isMasked(value))
    .map(({ value }) => value);
}

/** The list to send for the declared references. */
export function referenceList({ secretReferences = {} }: DesiredDeployment): SecretReference[] {
  return Object.entries(secretReferences).map(([name, { secretName, secretKey }]) => ({
    name,
    secret_name: secretName,
    secret_key: secretKey,
  }));
}

/**
 * The declaration with the references to Kubernetes Secrets that an existing deployment keeps: like the environment,
 * they are sent as a whole.
 * @param droppable undeclared names to drop, or all of them
 */
export function withKeptReferences(
  desired: DesiredDeployment,
  { secret_references }: Pick<Deployment, "secret_references">,
  droppable: readonly string[] | "all",
): { desired: DesiredDeployment; dropped: readonly string[] } {
  const { env, secrets, secretReferences } = desired;
  const values = { ...env, ...secrets };
  const declared = { ...values, ...secretReferences };
  const present = secret_references ?? [];
  const undeclared = present.filter(({ name }) => !Object.hasOwn(declared, name));
  const dropped = undeclared.map(({ name }) => name).filter((name) => droppable === "all" || droppable.includes(name));
  // Otherwise the variable would have both the reference and the declared value.
  const becomesValue = present.some(({ name }) => Object.hasOwn(values, name));
  if (secretReferences === undefined && dropped.length === 0 && !becomesValue) return { desired, dropped };
  const kept = undeclared
    .filter(({ name }) => !dropped.includes(name))
    .map(({ name, secret_name: secretName, secret_key: secretKey }) => [name, { secretName, secretKey }]);
  return { desired: { ...desired, secretReferences: { ...Object.fromEntries(kept), ...secretReferences } }, dropped };
}

/** Whether two lists hold the same references, in any order. */
export function areSameReferences(a: readonly SecretReference[], b: readonly SecretReference[]): boolean {
  return isDeepStrictEqual(byName(a), byName(b));
}

function byName<Item extends { name: string }>(items: readonly Item[]): Item[] {
  return items.map((item) => ({ ...item })).sort((a, b) => (a.name < b.name ? -1 : 1));
}
