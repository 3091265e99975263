import { isDeepStrictEqual } from "node:util";
import type { DesiredDeployment } from "./desired.ts";
import type { SecretReference } from "./wire/source-config.ts";

/** The list that the platform gets for the declared references. */
export function referenceList({ secretReferences = {} }: DesiredDeployment): SecretReference[] {
  return Object.entries(secretReferences).map(([name, { secretName, secretKey }]) => ({
    name,
    secret_name: secretName,
    secret_key: secretKey,
  }));
}

/** Whether two lists hold the same references, in any order. */
export function areSameReferences(a: readonly SecretReference[], b: readonly SecretReference[]): boolean {
  return isDeepStrictEqual(byName(a), byName(b));
}

function byName<Item extends { name: string }>(items: readonly Item[]): Item[] {
  return items.map((item) => ({ ...item })).sort((a, b) => (a.name < b.name ? -1 : 1));
}
