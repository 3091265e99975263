import type { Redactor } from "../redact.ts";
import { deploymentPath, readDeployment } from "./deployments.ts";
import { NotFoundError } from "./errors.ts";
import { Listing } from "./pagination.ts";
import type { ApiRequest, CallOptions, SendRequest } from "./response.ts";
import type { Deployment, DeploymentPatchRequest } from "./wire/deployments.ts";
import {
  type LogsPage,
  type LogsRequest,
  logsPageSchema,
  type Revision,
  revisionSchema,
  revisionsListSchema,
} from "./wire/revisions.ts";

/** Filters of `GET /v2/deployments/{id}/revisions`. */
export interface RevisionFilters {
  status?: readonly string[];
  remoteReconciled?: boolean;
}

/**
 * `client.revisions`. Every method throws {@link ApiError}, {@link ConnectionError}, {@link ResponseError} or {@link
 * Aborted}.
 */
export class RevisionsResource {
  readonly #send: SendRequest;
  readonly #redactor: Redactor;

  constructor(send: SendRequest, redactor: Redactor) {
    this.#send = send;
    this.#redactor = redactor;
  }

  /** Latest first. */
  list(deploymentId: string, filters: RevisionFilters = {}, call?: CallOptions): Listing<Revision> {
    return new Listing(async ({ limit, offset }) => {
      const query = {
        limit,
        offset,
        status: filters.status?.join(","),
        remote_reconciled: filters.remoteReconciled,
      };
      const path = `${deploymentPath(deploymentId)}/revisions`;
      const request = { method: "GET", path, query, schema: revisionsListSchema, idempotent: true, ...call } as const;
      return (await this.#send(request)).body;
    });
  }

  async get(deploymentId: string, revisionId: string, call?: CallOptions): Promise<Revision> {
    return this.#revision({ method: "GET", path: revisionPath(deploymentId, revisionId), idempotent: true, ...call });
  }

  /** The revision; `undefined` when the control plane itself responds with 404. */
  async find(deploymentId: string, revisionId: string, call?: CallOptions): Promise<Revision | undefined> {
    try {
      return await this.get(deploymentId, revisionId, call);
    } catch (error) {
      // A 404 from an intermediary says nothing about the revision.
      if (error instanceof NotFoundError && error.fromControlPlane) return undefined;
      throw error;
    }
  }

  /**
   * `POST …/revisions`: always makes a revision. Older servers respond with 404 or 405 although the deployment exists.
   */
  async create(deploymentId: string, request: DeploymentPatchRequest, call?: CallOptions): Promise<Revision> {
    const path = `${deploymentPath(deploymentId)}/revisions`;
    return this.#revision({ method: "POST", path, body: request, idempotent: false, ...call });
  }

  /** `POST …/revisions/{id}/redeploy`: makes a new revision with the configuration of this one. */
  async redeploy(deploymentId: string, revisionId: string, call?: CallOptions): Promise<Deployment> {
    const path = `${revisionPath(deploymentId, revisionId)}/redeploy`;
    return readDeployment(this.#send, { method: "POST", path, idempotent: false, ...call });
  }

  /**
   * `POST …/revisions/{id}/interrupt`: requests that the platform stop a rollout; what becomes of the revision is up to
   * the platform.
   */
  async interrupt(deploymentId: string, revisionId: string, call?: CallOptions): Promise<void> {
    const path = `${revisionPath(deploymentId, revisionId)}/interrupt`;
    await this.#send({ method: "POST", path, schema: undefined, idempotent: true, ...call });
  }

  /** A page of the build log; its lines are redacted. */
  async buildLogs(
    deploymentId: string,
    revisionId: string,
    query: LogsRequest = {},
    call?: CallOptions,
  ): Promise<LogsPage> {
    return this.#logs(`${logsPath(deploymentId, revisionId)}/build_logs`, query, call);
  }

  /** A page of the deploy log of one revision, or of the whole deployment; its lines are redacted. */
  async deployLogs(
    deploymentId: string,
    revisionId: string | undefined,
    query: LogsRequest = {},
    call?: CallOptions,
  ): Promise<LogsPage> {
    return this.#logs(`${logsPath(deploymentId, revisionId)}/deploy_logs`, query, call);
  }

  async #revision(request: Omit<ApiRequest<Revision>, "schema">): Promise<Revision> {
    return (await this.#send({ ...request, schema: revisionSchema })).body;
  }

  async #logs(path: string, query: LogsRequest, call: CallOptions | undefined): Promise<LogsPage> {
    // A POST, but it only reads.
    const request = { method: "POST", path, body: query, schema: logsPageSchema, idempotent: true, ...call } as const;
    const { body } = await this.#send(request);
    return this.#redactor.deep(body) as LogsPage;
  }
}

function revisionPath(deploymentId: string, revisionId: string): string {
  return `${deploymentPath(deploymentId)}/revisions/${encodeURIComponent(revisionId)}`;
}

function logsPath(deploymentId: string, revisionId: string | undefined): string {
  const revision = revisionId === undefined ? "" : `/revisions/${encodeURIComponent(revisionId)}`;
  return `/v1/projects/${encodeURIComponent(deploymentId)}${revision}`;
}
