import type { ControlPlane } from "./client.ts";
import { throwIfAborted } from "./clock.ts";
import type { OnProgress } from "./events.ts";
import { Heartbeat } from "./heartbeat.ts";
import { pollDelayMs } from "./polling.ts";
import { meaningOf } from "./revision-status.ts";
import { RolloutErrors } from "./rollout-errors.ts";
import { type RolloutLimits, rolloutLimits } from "./rollout-limits.ts";
import { RolloutReader } from "./rollout-reader.ts";
import { type StatusSpan, StatusTrail } from "./status-trail.ts";
import { Warnings } from "./warnings.ts";
import type { Deployment } from "./wire/deployment.ts";
import type { Revision } from "./wire/revision.ts";

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
  readonly #trail = new StatusTrail();
  readonly #warnings: Warnings;
  readonly #errors: RolloutErrors;
  readonly #reader: RolloutReader;
  #heartbeat: Heartbeat | undefined;

  constructor(client: ControlPlane, options: RolloutOptions) {
    const { deploymentId, revisionId, signal, webUrl, onProgress } = options;
    this.#client = client;
    this.#options = options;
    this.#limits = rolloutLimits(options.limits);
    this.#startedAt = client.clock.now();
    this.#deadline = this.#startedAt + this.#limits.timeoutMs;
    this.#warnings = new Warnings(onProgress);
    this.#errors = new RolloutErrors(client, deploymentId, revisionId, this.#trail);
    this.#errors.webUrl = webUrl;
    this.#reader = new RolloutReader(client, {
      deploymentId,
      revisionId,
      signal,
      graceMs: this.#limits.graceMs,
      readUntilMs: this.#deadline,
      errors: this.#errors,
      warnings: this.#warnings,
    });
  }

  async follow(): Promise<RolloutResult> {
    using heartbeat = new Heartbeat(this.#client.clock, this.#limits.heartbeatMs, () => this.#beat());
    this.#heartbeat = heartbeat;
    for (;;) {
      throwIfAborted(this.#options.signal);
      const revision = await this.#reader.revision();
      if (revision !== undefined) {
        this.#note(revision.status);
        const result = await this.#judge(revision);
        if (result !== undefined) return result;
      }
      await this.#pause();
    }
  }

  async #judge(revision: Revision): Promise<RolloutResult | undefined> {
    switch (meaningOf(revision.status)) {
      case "waiting":
        return undefined;
      case "deployed":
        return this.#awaitSwitch(revision);
      case "failed":
        throw await this.#errors.failed(revision);
      case "superseded":
        throw this.#errors.superseded((await this.#reader.deployment())?.latest_revision_id ?? undefined);
      case "unsettled":
        return this.#waitUnsettled(revision);
      case "unknown":
        this.#warnings.once(revision.status, `Status ${revision.status} is unknown to this version; still waiting.`);
        return undefined;
    }
  }

  async #waitUnsettled(revision: Revision): Promise<undefined> {
    const message = `Revision ${revision.id} is ${revision.status}, which may pass; still waiting.`;
    this.#warnings.once(revision.status, message);
    const deployment = await this.#reader.deployment();
    if (deployment !== undefined) this.#reader.throwIfSuperseded(deployment);
    const isSettled = this.#trail.inStatusMs(this.#now()) >= this.#limits.graceMs;
    if (revision.status === "INTERRUPTED" && isSettled) throw await this.#errors.interrupted(revision);
    return undefined;
  }

  /** DEPLOYED may come a moment before traffic is switched. */
  async #awaitSwitch(revision: Revision): Promise<RolloutResult> {
    const { signal, onProgress } = this.#options;
    const { switchMs, timeoutMs } = this.#limits;
    let switchDeadline = this.#now() + switchMs;
    this.#reader.extend(switchDeadline);
    for (let asked = 0; ; asked += 1) {
      const askedAt = this.#now();
      const deployment = await this.#reader.deployment();
      // While the control plane can't be read, nobody knows what serves: that time doesn't count.
      if (deployment === undefined) switchDeadline += this.#now() - askedAt;
      // An older server doesn't tell what serves; then DEPLOYED is all there is to know.
      const active = deployment?.active_revision_id;
      const isActive = active === this.#options.revisionId || active === undefined;
      if (deployment !== undefined && isActive) return this.#result(revision, deployment);
      // A newer revision in the making doesn't keep this one from being switched to; a newer one that serves does.
      if (deployment !== undefined && deployment.active_revision_id === deployment.latest_revision_id) {
        this.#reader.throwIfSuperseded(deployment);
      }
      if (asked === 0) onProgress?.({ type: "switching", revisionId: revision.id });
      if (deployment === undefined && this.#now() >= this.#reader.readUntilMs) {
        throw await this.#errors.timeout(timeoutMs);
      }
      if (deployment !== undefined && this.#now() >= switchDeadline) {
        this.#reader.throwIfSuperseded(deployment);
        throw this.#errors.notSwitched(active, switchMs);
      }
      await this.#client.clock.sleep(Math.min(1_000 * 1.5 ** asked, 5_000), signal);
    }
  }

  #result(revision: Revision, deployment: Deployment): RolloutResult {
    this.#trail.close(this.#now());
    return { revision, deployment, spans: this.#trail.spans, durationMs: this.#now() - this.#startedAt };
  }

  #note(status: string): void {
    const now = this.#now();
    const change = this.#trail.note(status, now);
    if (change === undefined) return;
    this.#heartbeat?.restart();
    const { revisionId, onProgress } = this.#options;
    onProgress?.({ type: "status", revisionId, ...change, elapsedMs: now - this.#startedAt });
  }

  #beat(): void {
    const { revisionId, onProgress } = this.#options;
    const elapsedMs = this.#now() - this.#startedAt;
    onProgress?.({ type: "heartbeat", revisionId, status: this.#trail.status, elapsedMs });
  }

  async #pause(): Promise<void> {
    const now = this.#now();
    if (now >= this.#deadline) throw await this.#errors.timeout(this.#limits.timeoutMs);
    const elapsedMs = now - this.#startedAt;
    const delay = pollDelayMs({ status: this.#trail.status, elapsedMs, random: this.#client.random() });
    await this.#client.clock.sleep(Math.min(delay, Math.max(1, this.#deadline - now)), this.#options.signal);
  }

  #now(): number {
    return this.#client.clock.now();
  }
}
