import type { ControlPlane } from "./client.ts";
import { throwIfAborted } from "./clock.ts";
import { formatDuration } from "./duration.ts";
import {
  Interrupted,
  isGone,
  NotFoundError,
  RolloutError,
  type RolloutErrorOptions,
  RolloutTimeout,
  Superseded,
} from "./errors.ts";
import type { OnProgress } from "./events.ts";
import { logTail } from "./log-tail.ts";
import { isPassingFailure } from "./passing-failure.ts";
import { pollDelayMs } from "./polling.ts";
import { meaningOf } from "./revision-status.ts";
import { type StatusSpan, StatusTrail } from "./status-trail.ts";
import type { Deployment } from "./wire/deployment.ts";
import type { Revision } from "./wire/revision.ts";

/** The bounds of a wait, in milliseconds. */
export interface RolloutLimits {
  /** Until DEPLOYED. @default 1800 s, the reference client's */
  timeoutMs: number;
  /** How long INTERRUPTED, or a revision that can't be found, is taken for transient. @default 120 s */
  graceMs: number;
  /** From DEPLOYED until the platform must have switched traffic. @default 60 s */
  switchMs: number;
  /** At least this between two signs of life. @default 30 s */
  heartbeatMs: number;
}

export const defaultRolloutLimits: RolloutLimits = {
  timeoutMs: 1_800_000,
  graceMs: 120_000,
  switchMs: 60_000,
  heartbeatMs: 30_000,
};

/** For the answer to the look that is taken at the deadline, in milliseconds. */
const lastLookMs = 5_000;

export interface RolloutOptions {
  deploymentId: string;
  revisionId: string;
  /** The deployment's page for people, for errors. */
  webUrl?: string | undefined;
  limits?: Partial<RolloutLimits> | undefined;
  signal?: AbortSignal | undefined;
  onProgress?: OnProgress | undefined;
}

export interface RolloutResult {
  revision: Revision;
  /** Read after the switch, so its `active_revision_id` is the revision. */
  deployment: Deployment;
  spans: readonly StatusSpan[];
  durationMs: number;
}

/**
 * Follows one revision until it is live: DEPLOYED, and the deployment's active revision. Only this revision is judged, never "the latest".
 *
 * @throws {@link RolloutError} when it failed (with the log's tail) or was deployed and never switched to, {@link Superseded},
 * {@link Interrupted}, {@link RolloutTimeout} at the deadline, {@link Aborted} by the signal; and the client's own errors.
 */
export async function followRollout(client: ControlPlane, options: RolloutOptions): Promise<RolloutResult> {
  return new Rollout(client, options).follow();
}

class Rollout {
  readonly #client: ControlPlane;
  readonly #options: RolloutOptions;
  readonly #limits: RolloutLimits;
  readonly #startedAt: number;
  readonly #deadline: number;
  /** Until when single readings may take: the deadline, and after DEPLOYED the end of the switch. */
  #readUntil: number;
  readonly #trail = new StatusTrail();
  readonly #warned = new Set<string>();
  #lastSignOfLife: number;
  #missingSince: number | undefined;
  #webUrl: string | undefined;

  constructor(client: ControlPlane, options: RolloutOptions) {
    this.#client = client;
    this.#options = options;
    this.#limits = { ...defaultRolloutLimits, ...definedLimits(options.limits) };
    this.#startedAt = client.clock.now();
    this.#lastSignOfLife = this.#startedAt;
    this.#deadline = this.#startedAt + this.#limits.timeoutMs;
    this.#readUntil = this.#deadline;
    this.#webUrl = options.webUrl;
  }

  async follow(): Promise<RolloutResult> {
    for (;;) {
      throwIfAborted(this.#options.signal);
      const revision = await this.#readRevision();
      if (revision !== undefined) {
        this.#note(revision.status);
        const result = await this.#judge(revision);
        if (result !== undefined) return result;
      }
      await this.#pause();
    }
  }

  /** The revision, or `undefined` while it can't be found or the control plane can't be reached and there is time left. */
  async #readRevision(): Promise<Revision | undefined> {
    const { deploymentId, revisionId, signal } = this.#options;
    try {
      const deadlineMs = this.#readingMs();
      const revision = await this.#client.getRevision(deploymentId, revisionId, { signal, deadlineMs });
      this.#missingSince = undefined;
      return revision;
    } catch (error) {
      if (error instanceof NotFoundError) return this.#revisionNotFound(error);
      return this.#readFailed(error);
    }
  }

  /** An outage of the control plane says nothing about the rollout, so it is waited out until the deadline. */
  #readFailed(error: unknown): undefined {
    // What stands in front of a control plane that answered before may say 404 while that restarts.
    const isStandIn = error instanceof NotFoundError && !error.answeredByControlPlane && !this.#trail.isEmpty;
    if (!isStandIn && !isPassingFailure(error)) throw error;
    if (this.#now() < this.#readUntil) {
      this.#warnOnce("outage", `The control plane can't be read; still waiting. ${error.message}`);
    }
    return undefined;
  }

  /** A revision can answer 404 while its deployment lives; only a deployment that is gone ends the wait at once. */
  async #revisionNotFound(error: NotFoundError): Promise<undefined> {
    const { deploymentId, revisionId } = this.#options;
    let deployment: Deployment;
    try {
      deployment = await this.#readDeployment();
    } catch (deploymentError) {
      if (!isGone(deploymentError, deploymentId)) return this.#readFailed(deploymentError);
      throw new RolloutError(`Deployment ${deploymentId} was deleted while its revision ${revisionId} rolled out.`, {
        ...this.#errorOptions(),
        hint: "Deploy again to create it anew.",
      });
    }
    this.#throwIfSuperseded(deployment);
    this.#missingSince ??= this.#now();
    this.#warnOnce("missing", `Revision ${revisionId} is not found while its deployment is; still waiting.`);
    if (this.#now() - this.#missingSince >= this.#limits.graceMs) {
      throw new RolloutError(`Revision ${revisionId} can't be found any more: ${error.detail}.`, {
        ...this.#errorOptions(),
        hint: "Deploy again to make a new revision.",
      });
    }
    return undefined;
  }

  async #judge(revision: Revision): Promise<RolloutResult | undefined> {
    switch (meaningOf(revision.status)) {
      case "waiting":
        return undefined;
      case "deployed":
        return this.#awaitSwitch(revision);
      case "failed":
        throw new RolloutError(`Revision ${revision.id} ended as ${revision.status}.`, {
          ...this.#errorOptions(),
          logTail: await logTail(this.#client, this.#options.deploymentId, revision),
          hint: "Read the log, mend the cause and deploy again; the deployment's earlier revision, if any, still serves.",
        });
      case "superseded":
        throw this.#superseded((await this.#tryReadDeployment())?.latest_revision_id ?? undefined);
      case "unsettled":
        return this.#waitUnsettled(revision);
      case "unknown":
        this.#warnOnce(revision.status, `Status ${revision.status} is unknown to this version; still waiting.`);
        return undefined;
    }
  }

  async #waitUnsettled(revision: Revision): Promise<undefined> {
    this.#warnOnce(revision.status, `Revision ${revision.id} is ${revision.status}, which may pass; still waiting.`);
    const deployment = await this.#tryReadDeployment();
    if (deployment !== undefined) this.#throwIfSuperseded(deployment);
    if (revision.status === "INTERRUPTED" && this.#trail.inStatusMs(this.#now()) >= this.#limits.graceMs) {
      throw new Interrupted(`Revision ${revision.id} was interrupted on the platform and didn't go on.`, {
        ...this.#errorOptions(),
        logTail: await logTail(this.#client, this.#options.deploymentId, revision),
        hint: "Deploy again to make a new revision.",
      });
    }
    return undefined;
  }

  /** DEPLOYED may come a moment before traffic is switched. */
  async #awaitSwitch(revision: Revision): Promise<RolloutResult> {
    const { deploymentId, signal, onProgress } = this.#options;
    let switchDeadline = this.#now() + this.#limits.switchMs;
    this.#readUntil = Math.max(this.#deadline, switchDeadline);
    for (let asked = 0; ; asked += 1) {
      const askedAt = this.#now();
      const deployment = await this.#tryReadDeployment();
      // While the control plane can't be read, nobody knows what serves: that time doesn't count.
      if (deployment === undefined) switchDeadline += this.#now() - askedAt;
      // An older server doesn't tell what serves; then DEPLOYED is all there is to know.
      const active = deployment?.active_revision_id;
      const isActive = active === this.#options.revisionId || active === undefined;
      if (deployment !== undefined && isActive) return this.#result(revision, deployment);
      // A newer revision in the making doesn't keep this one from being switched to; a newer one that serves does.
      if (deployment !== undefined && deployment.active_revision_id === deployment.latest_revision_id) {
        this.#throwIfSuperseded(deployment);
      }
      if (asked === 0) onProgress?.({ type: "switching", revisionId: revision.id });
      if (deployment === undefined && this.#now() >= this.#readUntil) throw await this.#timeout();
      if (deployment !== undefined && this.#now() >= switchDeadline) {
        this.#throwIfSuperseded(deployment);
        throw new RolloutError(
          `Revision ${revision.id} is DEPLOYED, but ${formatDuration(this.#limits.switchMs)} later deployment ${deploymentId} still serves ${active ?? "no revision"}.`,
          { ...this.#errorOptions(), hint: "Look at the deployment's page; deploy again if it doesn't switch." },
        );
      }
      await this.#client.clock.sleep(Math.min(1_000 * 1.5 ** asked, 5_000), signal);
    }
  }

  #result(revision: Revision, deployment: Deployment): RolloutResult {
    this.#trail.close(this.#now());
    return { revision, deployment, spans: this.#trail.spans, durationMs: this.#now() - this.#startedAt };
  }

  async #readDeployment(): Promise<Deployment> {
    const { deploymentId, signal } = this.#options;
    const deadlineMs = this.#readingMs();
    const deployment = await this.#client.getDeployment(deploymentId, { signal, deadlineMs });
    this.#webUrl = this.#client.webUrl(deployment) ?? this.#webUrl;
    return deployment;
  }

  async #tryReadDeployment(): Promise<Deployment | undefined> {
    const { deploymentId, revisionId } = this.#options;
    try {
      return await this.#readDeployment();
    } catch (error) {
      if (!isGone(error, deploymentId)) return this.#readFailed(error);
      throw new RolloutError(`Deployment ${deploymentId} was deleted while its revision ${revisionId} rolled out.`, {
        ...this.#errorOptions(),
        hint: "Deploy again to create it anew.",
      });
    }
  }

  /** How long one reading may take: the last look, taken when the time is up, needs time for its answer too. */
  #readingMs(): number {
    return Math.max(lastLookMs, this.#readUntil - this.#now());
  }

  #throwIfSuperseded({ latest_revision_id: latest }: Deployment): void {
    if (latest !== undefined && latest !== null && latest !== this.#options.revisionId) throw this.#superseded(latest);
  }

  #superseded(latest: string | undefined): Superseded {
    const { revisionId } = this.#options;
    const supersededBy = latest === revisionId ? undefined : latest;
    return new Superseded(
      `Revision ${revisionId} was superseded${supersededBy === undefined ? "" : ` by ${supersededBy}`} before it was live.`,
      {
        ...this.#errorOptions(),
        supersededBy,
        hint: "Somebody or a push deployed meanwhile: follow that revision, or deploy again.",
      },
    );
  }

  #note(status: string): void {
    const now = this.#now();
    const change = this.#trail.note(status, now);
    if (change === undefined) return;
    this.#lastSignOfLife = now;
    const { revisionId, onProgress } = this.#options;
    onProgress?.({ type: "status", revisionId, ...change, elapsedMs: now - this.#startedAt });
  }

  async #pause(): Promise<void> {
    const now = this.#now();
    if (now >= this.#deadline) throw await this.#timeout();
    if (now - this.#lastSignOfLife >= this.#limits.heartbeatMs) {
      this.#lastSignOfLife = now;
      const { revisionId, onProgress } = this.#options;
      onProgress?.({ type: "heartbeat", revisionId, status: this.#trail.status, elapsedMs: now - this.#startedAt });
    }
    const elapsedMs = now - this.#startedAt;
    const delay = pollDelayMs({ status: this.#trail.status, elapsedMs, random: this.#client.random() });
    await this.#client.clock.sleep(Math.min(delay, Math.max(1, this.#deadline - now)), this.#options.signal);
  }

  async #timeout(): Promise<RolloutTimeout> {
    const { deploymentId, revisionId } = this.#options;
    const revision = { id: revisionId, status: this.#trail.status };
    return new RolloutTimeout(
      `Revision ${revisionId} is still ${this.#trail.status} after ${formatDuration(this.#limits.timeoutMs)}; the rollout goes on and may still succeed.`,
      {
        ...this.#errorOptions(),
        logTail: await logTail(this.#client, deploymentId, revision),
        hint: "Wait longer with a larger timeout, or run again to follow the same revision.",
      },
    );
  }

  #warnOnce(reason: string, message: string): void {
    if (this.#warned.has(reason)) return;
    this.#warned.add(reason);
    this.#options.onProgress?.({ type: "warning", message });
  }

  #errorOptions(): RolloutErrorOptions {
    const { deploymentId, revisionId } = this.#options;
    return { deploymentId, revisionId, status: this.#trail.status, webUrl: this.#webUrl };
  }

  #now(): number {
    return this.#client.clock.now();
  }
}

function definedLimits(limits: Partial<RolloutLimits> = {}): Partial<RolloutLimits> {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}
