import type { ControlPlane } from "../client/client.ts";
import { isGone, NotFoundError, type RolloutTimeout, withoutHint } from "../client/errors.ts";
import { isFromIntermediary, isTransient } from "../client/retry.ts";
import type { Deployment } from "../client/wire/deployments.ts";
import { meaningOf, type Revision } from "../client/wire/revisions.ts";
import { throwIfAborted } from "../time.ts";
import * as failures from "./failures.ts";
import {
  defaultRolloutLimits,
  Heartbeat,
  lastPollMs,
  pollDelayMs,
  type RolloutLimits,
  type StatusSpan,
  type StepOptions,
} from "./waiting.ts";

export interface RolloutOptions extends StepOptions {
  deploymentId: string;
  revisionId: string;
  /** The deployment's web page, for progress and errors. */
  webUrl?: string | undefined;
  /** @default `defaultRolloutLimits` */
  limits?: { [Name in keyof RolloutLimits]?: RolloutLimits[Name] | undefined } | undefined;
}

export interface RolloutResult {
  revision: Revision;
  /** Read after the traffic switch, so its `active_revision_id` is the revision. */
  deployment: Deployment;
  spans: readonly StatusSpan[];
  durationMs: number;
}

/**
 * Follows one revision until it is live: DEPLOYED, and the deployment's active revision. It judges only this revision,
 * never "the latest". The wait outlasts outages of the control plane, until its deadline.
 *
 * @throws {@link RolloutError} when it failed (with the end of the log) or never got traffic, {@link Superseded},
 * {@link Interrupted}, {@link RolloutTimeout} at the deadline, {@link Aborted} by the signal; the client's errors
 */
export async function followRollout(client: ControlPlane, options: RolloutOptions): Promise<RolloutResult> {
  return new Rollout(client, options).follow();
}

/** The wait for the traffic switch, once the revision is DEPLOYED. */
interface SwitchWait {
  revision: Revision;
  /** Extended by the time during which the control plane can't be read. */
  deadlineMs: number;
  polls: number;
}

/** The state of one wait. */
class Rollout {
  readonly #client: ControlPlane;
  readonly #options: RolloutOptions;
  readonly #limits: RolloutLimits;
  readonly #startedAtMs: number;
  readonly #deadlineMs: number;
  /** The statuses so far, oldest first. */
  readonly #spans: StatusSpan[] = [];
  /** Reasons already warned about, since a problem often recurs at every poll. */
  readonly #warned = new Set<string>();
  #webUrl: string | undefined;
  #missingSinceMs: number | undefined;
  #switch: SwitchWait | undefined;
  #lastReadAtMs: number;
  /** Why the control plane couldn't be read the last time; `undefined` if it could. */
  #outage: Error | undefined;
  /** Deadline of single reads; an outage that lasts longer ends the wait. */
  #readDeadlineMs: number;

  constructor(client: ControlPlane, options: RolloutOptions) {
    const defined = Object.entries(options.limits ?? {}).filter(([, value]) => value !== undefined);
    this.#client = client;
    this.#options = options;
    this.#limits = { ...defaultRolloutLimits, ...Object.fromEntries(defined) };
    this.#startedAtMs = client.clock.now();
    this.#lastReadAtMs = this.#startedAtMs;
    this.#deadlineMs = this.#startedAtMs + this.#limits.timeoutMs;
    this.#readDeadlineMs = this.#deadlineMs;
    this.#webUrl = options.webUrl;
  }

  async follow(): Promise<RolloutResult> {
    const { deploymentId, revisionId, webUrl, onProgress } = this.#options;
    onProgress?.({ type: "revision", deploymentId, revisionId, webUrl });
    using heartbeat = new Heartbeat(this.#client.clock, this.#limits.heartbeatMs, () => this.#reportHeartbeat());
    for (;;) {
      throwIfAborted(this.#options.signal);
      if (this.#switch === undefined) {
        const revision = await this.#readRevision();
        if (revision !== undefined) {
          if (this.#recordStatus(revision.status)) heartbeat.restart();
          await this.#judge(revision);
        }
      }
      // DEPLOYED may be reported a moment before the traffic is switched.
      const result = this.#switch && (await this.#pollSwitch(this.#switch));
      if (result !== undefined) return result;
      await this.#pause();
    }
  }

  /** Throws for a revision that won't go live; starts the wait for traffic for one that is DEPLOYED. */
  async #judge(revision: Revision): Promise<void> {
    switch (meaningOf(revision.status)) {
      case "waiting":
        return;
      case "deployed":
        this.#switch = { revision, deadlineMs: this.#now() + this.#limits.switchMs, polls: 0 };
        this.#readDeadlineMs = Math.max(this.#readDeadlineMs, this.#switch.deadlineMs);
        return;
      case "failed":
        throw await failures.failed(this.#client, this.#failed());
      case "superseded": {
        const deployment = await this.#readDeployment();
        throw failures.superseded(this.#failed(), deployment?.latest_revision_id ?? undefined);
      }
      case "unsettled":
        this.#warnOnce(
          revision.status,
          `Revision ${revision.id} is ${revision.status}, which may be transient; still waiting.`,
        );
        return this.#judgeUnsettled(revision);
      case "unknown":
        this.#warnOnce(revision.status, `Status ${revision.status} is unknown to this version; still waiting.`);
    }
  }

  async #judgeUnsettled(revision: Revision): Promise<void> {
    const deployment = await this.#readDeployment();
    if (deployment !== undefined) this.#throwIfSuperseded(deployment);
    const inStatusMs = this.#now() - (this.#spans.at(-1)?.startedAtMs ?? this.#now());
    if (revision.status === "INTERRUPTED" && inStatusMs >= this.#limits.graceMs) {
      throw await failures.interrupted(this.#client, this.#failed());
    }
  }

  /** @returns the result once the traffic is switched */
  async #pollSwitch(wait: SwitchWait): Promise<RolloutResult | undefined> {
    const { switchMs } = this.#limits;
    const polledAtMs = this.#now();
    const deployment = await this.#readDeployment();
    // Time during which the control plane can't be read doesn't count.
    if (deployment === undefined) wait.deadlineMs += this.#now() - polledAtMs;
    else {
      // An older server doesn't report what serves; then DEPLOYED must do.
      const active = deployment.active_revision_id;
      if (active === undefined || active === this.#options.revisionId) return this.#result(wait.revision, deployment);
      // A newer revision in progress doesn't prevent this one from getting traffic; a newer one that serves does.
      if (active === deployment.latest_revision_id) this.#throwIfSuperseded(deployment);
    }
    if (wait.polls === 0) this.#options.onProgress?.({ type: "switching", revisionId: this.#options.revisionId });
    if (deployment === undefined && this.#now() >= this.#readDeadlineMs) throw await this.#timedOut();
    if (deployment !== undefined && this.#now() >= wait.deadlineMs) {
      this.#throwIfSuperseded(deployment);
      throw failures.notSwitched(this.#failed(), deployment.active_revision_id, switchMs);
    }
    return undefined;
  }

  #result(revision: Revision, deployment: Deployment): RolloutResult {
    this.#closeSpan();
    return { revision, deployment, spans: this.#spans, durationMs: this.#now() - this.#startedAtMs };
  }

  async #pause(): Promise<void> {
    const { signal } = this.#options;
    const now = this.#now();
    if (this.#switch !== undefined) {
      const delay = Math.min(1_000 * 1.5 ** this.#switch.polls, 5_000);
      this.#switch.polls += 1;
      return this.#client.clock.sleep(delay, signal);
    }
    if (now >= this.#deadlineMs) throw await this.#timedOut();
    const elapsedMs = now - this.#startedAtMs;
    const delay = pollDelayMs({ status: this.#status, elapsedMs, random: this.#client.random() });
    await this.#client.clock.sleep(Math.min(delay, Math.max(1, this.#deadlineMs - now)), signal);
  }

  /** The revision, or `undefined` while it can't be found or the control plane can't be read. */
  async #readRevision(): Promise<Revision | undefined> {
    const { deploymentId, revisionId } = this.#options;
    try {
      const revision = await this.#client.revisions.get(deploymentId, revisionId, this.#call());
      this.#noteRead();
      this.#missingSinceMs = undefined;
      return revision;
    } catch (error) {
      if (!(error instanceof NotFoundError)) return this.#outlast(error);
      // A revision may be missing for a while; only a deployment that is gone ends the wait at once.
      const deployment = await this.#readDeployment();
      if (deployment === undefined) return undefined;
      this.#throwIfSuperseded(deployment);
      this.#missingSinceMs ??= this.#now();
      this.#warnOnce(
        "missing",
        `Revision ${revisionId} can't be found, although its deployment exists; still waiting.`,
      );
      if (this.#now() - this.#missingSinceMs < this.#limits.graceMs) return undefined;
      throw failures.revisionGone(this.#failed(), error);
    }
  }

  /** The deployment, or `undefined` while the control plane can't be read. */
  async #readDeployment(): Promise<Deployment | undefined> {
    const { deploymentId } = this.#options;
    try {
      const deployment = await this.#client.deployments.get(deploymentId, this.#call());
      this.#noteRead();
      this.#webUrl = this.#client.webUrl(deployment) ?? this.#webUrl;
      return deployment;
    } catch (error) {
      if (!isGone(error, deploymentId)) return this.#outlast(error);
      throw failures.deploymentGone(this.#failed());
    }
  }

  /** Rethrows errors other than outages. */
  #outlast(error: unknown): undefined {
    const isOutage = isTransient(error) || (this.#client.hasResponded && isFromIntermediary(error));
    if (!isOutage) throw error;
    this.#outage = error;
    if (this.#now() < this.#readDeadlineMs) {
      this.#warnOnce("outage", `The control plane can't be read; still waiting. ${withoutHint(error)}`);
    }
    return undefined;
  }

  #noteRead(): void {
    this.#lastReadAtMs = this.#now();
    this.#outage = undefined;
  }

  async #timedOut(): Promise<RolloutTimeout> {
    const error = this.#outage;
    if (error === undefined) return failures.timedOut(this.#client, this.#failed(), this.#limits.timeoutMs);
    return failures.lostSight(this.#failed(), { unreadMs: this.#now() - this.#lastReadAtMs, error });
  }

  /** Options of a read. The last poll, at the deadline, needs time for its response. */
  #call() {
    return { signal: this.#options.signal, deadlineMs: Math.max(lastPollMs, this.#readDeadlineMs - this.#now()) };
  }

  #throwIfSuperseded({ latest_revision_id: latest }: Deployment): void {
    if (latest === undefined || latest === null || latest === this.#options.revisionId) return;
    throw failures.superseded(this.#failed(), latest);
  }

  /** @returns whether the status changed */
  #recordStatus(status: string): boolean {
    const now = this.#now();
    const last = this.#spans.at(-1);
    if (last?.status === status) return false;
    this.#closeSpan();
    this.#spans.push({ status, startedAtMs: now, durationMs: 0 });
    this.#options.onProgress?.({
      type: "status",
      revisionId: this.#options.revisionId,
      status,
      previous: last?.status,
      previousMs: last?.durationMs ?? 0,
      elapsedMs: now - this.#startedAtMs,
    });
    return true;
  }

  #closeSpan(): void {
    const last = this.#spans.at(-1);
    if (last !== undefined) last.durationMs = this.#now() - last.startedAtMs;
  }

  #reportHeartbeat(): void {
    const elapsedMs = this.#now() - this.#startedAtMs;
    const { revisionId, onProgress } = this.#options;
    const unread = this.#outage === undefined ? {} : { unreadMs: this.#now() - this.#lastReadAtMs };
    onProgress?.({ type: "heartbeat", revisionId, status: this.#status, elapsedMs, ...unread });
  }

  #warnOnce(reason: string, message: string): void {
    if (this.#warned.has(reason)) return;
    this.#warned.add(reason);
    this.#options.onProgress?.({ type: "warning", message });
  }

  #failed(): failures.FailedRollout {
    const { deploymentId, revisionId } = this.#options;
    return { deploymentId, revisionId, status: this.#status, webUrl: this.#webUrl };
  }

  get #status(): string {
    return this.#spans.at(-1)?.status ?? "UNKNOWN";
  }

  #now(): number {
    return this.#client.clock.now();
  }
}
