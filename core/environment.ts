import type { DesiredDeployment } from "./desired.ts";
import { isMarkName, markEntries } from "./managed-by.ts";
import { isMasked } from "./masked-values.ts";
import type { Deployment } from "./wire/deployment.ts";
import type { Secret } from "./wire/source-config.ts";

/** What has to change in a deployment's environment; names only, never values. */
export interface EnvironmentChange {
  added: readonly string[];
  changed: readonly string[];
  /** On the platform and not declared: a PATCH drops them, because the list is replaced whole. */
  dropped: readonly string[];
}

/** Whether the environment is declared at all. Undeclared, it is left alone. */
export function declaresEnvironment(desired: DesiredDeployment): boolean {
  return desired.env !== undefined || desired.secrets !== undefined;
}

/** The list that the platform gets: plain entries, secret entries, and the marks of who made the deployment. */
export function environmentEntries(desired: DesiredDeployment, managedBy: string | undefined): Secret[] {
  const entries = Object.entries({ ...desired.env, ...desired.secrets }).map(([name, value]) => ({ name, value }));
  return managedBy === undefined ? entries : [...entries, ...markEntries(managedBy)];
}

/**
 * Compares the declared environment with the platform's, in memory. A value that the platform hides is compared with the one declared last
 * (`previous`); where that isn't known, it counts as `unreadable` says.
 */
export function compareEnvironment(
  desired: DesiredDeployment,
  observed: readonly Secret[] | null | undefined,
  previous: DesiredDeployment | undefined,
  unreadable: "same" | "changed",
): EnvironmentChange {
  const wanted = new Map(environmentEntries(desired, undefined).map(({ name, value }) => [name, value]));
  const before = previous && new Map(environmentEntries(previous, undefined).map(({ name, value }) => [name, value]));
  const present = observed && new Map(observed.map(({ name, value }) => [name, value]));
  const isSameAsHidden = (name: string, value: string) =>
    before?.has(name) === true ? before.get(name) === value : unreadable === "same";

  const added: string[] = [];
  const changed: string[] = [];
  for (const [name, value] of wanted) {
    const shown = present?.get(name);
    if (shown === value) continue;
    if (present && shown === undefined) added.push(name);
    else if (shown !== undefined && !isMasked(shown)) changed.push(name);
    else if (!isSameAsHidden(name, value)) changed.push(name);
  }
  const dropped = [...(present ?? before ?? new Map<string, string>()).keys()].filter(
    (name) => !isMarkName(name) && !wanted.has(name),
  );
  return { added, changed, dropped };
}

/**
 * The values in a deployment's environment that no message may show: all but the marks, what is masked anyway, and what is declared as plain. The
 * platform may name any of them in an error, also one that was just replaced or that nobody declares here.
 */
export function secretValuesOf(
  { secrets }: Pick<Deployment, "secrets">,
  plain: Readonly<Record<string, string>> = {},
): string[] {
  return (secrets ?? [])
    .filter(({ name, value }) => !isMarkName(name) && !Object.hasOwn(plain, name) && !isMasked(value))
    .map(({ value }) => value);
}
