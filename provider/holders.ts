/** The deployments that this process has seen held by an entry of the state, by id, with the entry's generation. */
const holders = new Map<string, string | undefined>();

/** Instead of a generation, of the current entry of an earlier build: one that such a build left to be deleted has none either. */
export const currentEntry = "current";

/** Instead of a generation, of a deployment whose name a creation wanted that was refused: it may be a rename that lacks its alias. */
export const wanted = "wanted";

/** Notes which entry of the state holds a deployment: one that was just made, changed or compared. */
export function noteHolder(id: string, generation: string | undefined): void {
  holders.set(id, generation);
}

/**
 * Whether another entry of the state than that of `generation` holds the deployment. The process serves the whole run, and the engine compares an
 * entry before it deletes an older one, also one that an earlier run left behind. The platform's marker tells the two apart as well, but for a
 * creation that was resumed without a new revision.
 */
export function isHeldByAnother(id: string, generation: string | undefined): boolean {
  return holders.has(id) && holders.get(id) !== generation;
}

/** Whether a refused creation of this process wanted the deployment's name, and nothing was settled since. */
export function isWanted(id: string): boolean {
  return holders.get(id) === wanted;
}
