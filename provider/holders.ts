/** The generation of the state's entry for each deployment that this process has seen, by the deployment's id. */
const holders = new Map<string, string | undefined>();

/**
 * Stands for the current entry of an earlier build, which has no generation; neither has an entry that such a build
 * left to be deleted.
 */
export const currentEntry = "current";

/** Stands for a refused creation under the deployment's name, which may be a rename without an alias. */
export const wanted = "wanted";

/** Records which entry of the state a deployment belongs to, after it was created, changed or compared. */
export function noteHolder(id: string, generation: string | undefined): void {
  holders.set(id, generation);
}

/**
 * Whether the deployment belongs to an entry of the state other than that of `generation`. The process serves the whole
 * run, and the engine compares an entry before it deletes an older one, even one left by an earlier run. The platform's
 * marker distinguishes the two as well, except after a creation was resumed without a new revision.
 */
export function isHeldByAnother(id: string, generation: string | undefined): boolean {
  return holders.has(id) && holders.get(id) !== generation;
}

/** Whether a creation under the deployment's name was refused in this process, and no entry has been recorded since. */
export function isWanted(id: string): boolean {
  return holders.get(id) === wanted;
}
