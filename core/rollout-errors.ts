import type { ControlPlane } from "./client.ts";
import { formatDuration } from "./duration.ts";
import {
  Interrupted,
  type NotFoundError,
  RolloutError,
  type RolloutErrorOptions,
  RolloutTimeout,
  Superseded,
} from "./errors.ts";
import { logTail } from "./log-tail.ts";
import type { StatusTrail } from "./status-trail.ts";
import type { Revision } from "./wire/revision.ts";

/** The ways in which the wait for one revision ends badly, each as an error that says what happened and what to do. */
export class RolloutErrors {
  /** The deployment's page for people, once it is known. */
  webUrl: string | undefined;
  readonly #client: ControlPlane;
  readonly #deploymentId: string;
  readonly #revisionId: string;
  readonly #trail: StatusTrail;

  constructor(client: ControlPlane, deploymentId: string, revisionId: string, trail: StatusTrail) {
    this.#client = client;
    this.#deploymentId = deploymentId;
    this.#revisionId = revisionId;
    this.#trail = trail;
  }

  async failed(revision: Revision): Promise<RolloutError> {
    return new RolloutError(`Revision ${revision.id} ended as ${revision.status}.`, {
      ...this.#options(),
      logTail: await logTail(this.#client, this.#deploymentId, revision),
      hint: "Read the log, mend the cause and deploy again; the deployment's earlier revision, if any, still serves.",
    });
  }

  async interrupted(revision: Revision): Promise<Interrupted> {
    return new Interrupted(`Revision ${revision.id} was interrupted on the platform and didn't go on.`, {
      ...this.#options(),
      logTail: await logTail(this.#client, this.#deploymentId, revision),
      hint: "Deploy again to make a new revision.",
    });
  }

  async timeout(timeoutMs: number): Promise<RolloutTimeout> {
    const revision = { id: this.#revisionId, status: this.#trail.status };
    return new RolloutTimeout(
      `Revision ${revision.id} is still ${revision.status} after ${formatDuration(timeoutMs)}; the rollout goes on and may still succeed.`,
      {
        ...this.#options(),
        logTail: await logTail(this.#client, this.#deploymentId, revision),
        hint: "Wait longer with a larger timeout, or run again to follow the same revision.",
      },
    );
  }

  superseded(latest: string | undefined): Superseded {
    const supersededBy = latest === this.#revisionId ? undefined : latest;
    return new Superseded(
      `Revision ${this.#revisionId} was superseded${supersededBy === undefined ? "" : ` by ${supersededBy}`} before it was live.`,
      {
        ...this.#options(),
        supersededBy,
        hint: "Somebody or a push deployed meanwhile: follow that revision, or deploy again.",
      },
    );
  }

  deploymentGone(): RolloutError {
    return new RolloutError(
      `Deployment ${this.#deploymentId} was deleted while its revision ${this.#revisionId} rolled out.`,
      { ...this.#options(), hint: "Deploy again to create it anew." },
    );
  }

  revisionGone({ detail }: NotFoundError): RolloutError {
    return new RolloutError(`Revision ${this.#revisionId} can't be found any more: ${detail}.`, {
      ...this.#options(),
      hint: "Deploy again to make a new revision.",
    });
  }

  /** `active` is the revision that serves instead. */
  notSwitched(active: string | null | undefined, switchMs: number): RolloutError {
    return new RolloutError(
      `Revision ${this.#revisionId} is DEPLOYED, but ${formatDuration(switchMs)} later deployment ${this.#deploymentId} still serves ${active ?? "no revision"}.`,
      { ...this.#options(), hint: "Look at the deployment's page; deploy again if it doesn't switch." },
    );
  }

  #options(): RolloutErrorOptions {
    return {
      deploymentId: this.#deploymentId,
      revisionId: this.#revisionId,
      status: this.#trail.status,
      webUrl: this.webUrl,
    };
  }
}
