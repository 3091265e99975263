import type { ControlPlane } from "./client.ts";
import { isGone, NotFoundError } from "./errors.ts";
import { isPassingFailure, isStandIn } from "./passing-failure.ts";
import type { RolloutErrors } from "./rollout-errors.ts";
import type { Warnings } from "./warnings.ts";
import type { Deployment } from "./wire/deployment.ts";
import type { Revision } from "./wire/revision.ts";

/** For the answer to the look that is taken at the deadline, in milliseconds. */
const lastLookMs = 5_000;

export interface RolloutReaderOptions {
  deploymentId: string;
  revisionId: string;
  signal: AbortSignal | undefined;
  /** How long a revision that can't be found is taken for one that comes back, in milliseconds. */
  graceMs: number;
  /** Until when single readings may take, in milliseconds since the epoch. */
  readUntilMs: number;
  errors: RolloutErrors;
  warnings: Warnings;
}

/** Reads what a rollout is about. An outage of the control plane says nothing about the rollout, so it is waited out until the deadline. */
export class RolloutReader {
  readonly #client: ControlPlane;
  readonly #options: RolloutReaderOptions;
  #missingSince: number | undefined;

  constructor(client: ControlPlane, options: RolloutReaderOptions) {
    this.#client = client;
    this.#options = { ...options };
  }

  get readUntilMs(): number {
    return this.#options.readUntilMs;
  }

  /** Gives readings more time. */
  extend(untilMs: number): void {
    this.#options.readUntilMs = Math.max(this.#options.readUntilMs, untilMs);
  }

  /**
   * The revision, or `undefined` while it can't be found or the control plane can't be read and there is time left.
   * @throws {@link RolloutError} when the revision or its deployment is gone, {@link Superseded}; the client's errors
   */
  async revision(): Promise<Revision | undefined> {
    const { deploymentId, revisionId, signal } = this.#options;
    try {
      const deadlineMs = this.#readingMs();
      const revision = await this.#client.getRevision(deploymentId, revisionId, { signal, deadlineMs });
      this.#missingSince = undefined;
      return revision;
    } catch (error) {
      if (error instanceof NotFoundError) return this.#revisionNotFound(error);
      return this.#failed(error);
    }
  }

  /**
   * The deployment, or `undefined` while the control plane can't be read.
   * @throws {@link RolloutError} when it is gone; the client's errors
   */
  async deployment(): Promise<Deployment | undefined> {
    const { deploymentId, errors, signal } = this.#options;
    try {
      const deadlineMs = this.#readingMs();
      const deployment = await this.#client.getDeployment(deploymentId, { signal, deadlineMs });
      errors.webUrl = this.#client.webUrl(deployment) ?? errors.webUrl;
      return deployment;
    } catch (error) {
      if (!isGone(error, deploymentId)) return this.#failed(error);
      throw errors.deploymentGone();
    }
  }

  /** @throws {@link Superseded} when the deployment's latest revision is another one. */
  throwIfSuperseded({ latest_revision_id: latest }: Deployment): void {
    const { errors, revisionId } = this.#options;
    if (latest !== undefined && latest !== null && latest !== revisionId) throw errors.superseded(latest);
  }

  #failed(error: unknown): undefined {
    const passes = isPassingFailure(error) || (this.#client.hasAnswered && isStandIn(error));
    if (!passes) throw error;
    if (this.#now() < this.readUntilMs) {
      const message = `The control plane can't be read; still waiting. ${error.message}`;
      this.#options.warnings.once("outage", message);
    }
    return undefined;
  }

  /** A revision can answer 404 while its deployment lives; only a deployment that is gone ends the wait at once. */
  async #revisionNotFound(error: NotFoundError): Promise<undefined> {
    const { revisionId, graceMs, errors, warnings } = this.#options;
    const deployment = await this.deployment();
    if (deployment === undefined) return undefined;
    this.throwIfSuperseded(deployment);
    this.#missingSince ??= this.#now();
    warnings.once("missing", `Revision ${revisionId} is not found while its deployment is; still waiting.`);
    if (this.#now() - this.#missingSince >= graceMs) throw errors.revisionGone(error);
    return undefined;
  }

  /** How long one reading may take: the last look, taken when the time is up, needs time for its answer too. */
  #readingMs(): number {
    return Math.max(lastLookMs, this.readUntilMs - this.#now());
  }

  #now(): number {
    return this.#client.clock.now();
  }
}
