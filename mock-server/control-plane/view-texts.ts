import type { DeploymentRecord, RevisionRecord } from "../state/records.ts";
import { statusMomentsOf } from "./deployment-state.ts";
import { RecentTexts, type TimedText } from "./recent-texts.ts";
import { viewDeployment, viewRevision } from "./views.ts";

/** One page and what it was made of. */
interface Page {
  resources: readonly string[];
  offset: number;
  text: string;
}

/** How many pages are kept at hand. */
const mostPages = 32;

/**
 * Deployments and revisions as JSON. A record never changes, another takes its place; so its text depends on nothing but the time, and is right
 * until the next of the record's own moments: a clock that is set back makes it anew as well.
 */
export class ViewTexts {
  readonly #agentUrl: (deploymentId: string) => string;
  readonly #now: () => number;
  readonly #deployments = new RecentTexts<DeploymentRecord>();
  readonly #revisions = new RecentTexts<RevisionRecord>();
  /** By the first of their resources. */
  readonly #pages = new Map<string, Page>();

  /** `agentUrl` tells where the agent server of a deployment answers, which is always the same. */
  constructor(agentUrl: (deploymentId: string) => string, now: () => number) {
    this.#agentUrl = agentUrl;
    this.#now = now;
  }

  deployment(record: DeploymentRecord): string {
    const now = this.#now();
    const known = this.#deployments.get(record, now);
    if (known !== undefined) return known;
    const text = this.newDeployment(record);
    this.#deployments.set(timed(record, text, momentsOf(record), now));
    return text;
  }

  /** A deployment that was just made. Its text isn't kept: of many that are made, few are read. */
  newDeployment(record: DeploymentRecord): string {
    return JSON.stringify(viewDeployment(record, this.#agentUrl(record.id), this.#now()));
  }

  revision(record: RevisionRecord): string {
    const now = this.#now();
    const known = this.#revisions.get(record, now);
    if (known !== undefined) return known;
    const text = JSON.stringify(viewRevision(record, now));
    const moments = record.transitions.map(({ at }) => at);
    this.#revisions.set(timed(record, text, moments, now));
    return text;
  }

  /** A page of such texts, which begins at `offset`. The same texts make the same page: those who poll get one that is there already. */
  page(resources: readonly string[], offset: number): string {
    const first = resources[0] ?? "";
    const known = this.#pages.get(first);
    if (known?.offset === offset && isSame(known.resources, resources)) return known.text;
    const text = `{"resources":[${resources.join(",")}],"offset":${offset + resources.length}}`;
    if (this.#pages.size >= mostPages) this.#pages.clear();
    this.#pages.set(first, { resources, offset, text });
    return text;
  }
}

function isSame(known: readonly string[], resources: readonly string[]): boolean {
  return known.length === resources.length && known.every((text, index) => text === resources[index]);
}

/** When a deployment's view may change without the deployment being changed. */
function momentsOf(record: DeploymentRecord): number[] {
  return [...record.activations.map(({ at }) => at), ...statusMomentsOf(record)];
}

function timed<Entry>(record: Entry, text: string, moments: readonly number[], now: number): TimedText<Entry> {
  let from = Number.NEGATIVE_INFINITY;
  let until = Number.POSITIVE_INFINITY;
  for (const moment of moments) {
    if (moment <= now) from = Math.max(from, moment);
    else until = Math.min(until, moment);
  }
  return { record, text, from, until };
}
