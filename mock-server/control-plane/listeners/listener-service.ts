import { badRequest, HttpError } from "../../kit/http/http-error.ts";
import type { Page } from "../../kit/store/table.ts";
import { timestamp } from "../../kit/timestamp.ts";
import type { ControlPlaneOptions } from "../control-plane-options.ts";
import type { ListenerRecord } from "../store/records.ts";
import { TenantTable } from "../store/tenant-table.ts";
import type { Tenancy } from "../tenancy.ts";
import type { ListenerBody, ListenerCreateBody, ListenerPatchBody } from "./listener-schemas.ts";

/** The name of a Kubernetes namespace (an RFC 1123 label). */
const namespaceExpression = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

function checkNamespaces(namespaces: readonly string[] | null | undefined): void {
  const broken = namespaces?.find((name) => !namespaceExpression.test(name));
  if (broken !== undefined) {
    throw badRequest(
      `compute_config.k8s_namespaces: "${broken}" isn't a name of a namespace: use up to 63 lower-case letters, digits and hyphens.`,
    );
  }
}

export type ListenerServiceOptions = Pick<ControlPlaneOptions, "store" | "clock" | "ids">;

/** The listeners of one tenancy. The cloud edition has none. */
export class ListenerService {
  readonly #options: ListenerServiceOptions;
  readonly #tenancy: Tenancy;
  readonly #listeners: TenantTable<ListenerRecord, { tenantId: string }>;

  constructor(options: ListenerServiceOptions, tenancy: Tenancy) {
    this.#options = options;
    this.#tenancy = tenancy;
    this.#listeners = new TenantTable(options.store.listeners, { tenantId: tenancy.tenantId });
  }

  /** One page, newest first. */
  list(page: Page): ListenerRecord[] {
    return this.#tenancy.edition === "self-hosted" ? this.#listeners.page(page) : [];
  }

  /** @throws {HttpError} 403 in the cloud edition, 404 when the workspace doesn't have the listener. */
  find(id: string): ListenerRecord {
    this.#checkAllowed();
    const record = this.#listeners.get(id);
    if (!record) throw new HttpError(404, `Listener ID ${id} not found.`);
    return record;
  }

  /** @throws {HttpError} 403 in the cloud edition, 400 for an invalid namespace, 409 for a compute ID in use. */
  create(body: ListenerCreateBody): ListenerRecord {
    this.#checkAllowed();
    checkNamespaces(body.compute_config.k8s_namespaces);
    const { tenantId } = this.#tenancy;
    if (this.#listeners.hasAny({ computeId: body.compute_id })) {
      throw new HttpError(
        409,
        `Listener for LangSmith workspace ID '${tenantId}' and compute ID '${body.compute_id}' already exists.`,
      );
    }
    const now = this.#options.clock.now();
    return this.#listeners.put({
      id: this.#options.ids.uuid(),
      version: body.version ?? null,
      computeType: body.compute_type,
      computeId: body.compute_id,
      namespaces: body.compute_config.k8s_namespaces ?? null,
      createdAt: now,
      updatedAt: now,
    });
  }

  /** @throws {HttpError} as {@link find}; 400 for another compute type or ID, or an invalid namespace. */
  patch(id: string, body: ListenerPatchBody): ListenerRecord {
    const record = this.find(id);
    for (const [field, value, present] of [
      ["compute_type", body.compute_type, record.computeType],
      ["compute_id", body.compute_id, record.computeId],
    ] as const) {
      if (value !== null && value !== undefined && value !== present) {
        throw badRequest(`${field} can't be changed once the listener is created.`);
      }
    }
    checkNamespaces(body.compute_config?.k8s_namespaces);
    return this.#listeners.put({
      ...record,
      version: body.version ?? record.version,
      namespaces: body.compute_config ? (body.compute_config.k8s_namespaces ?? null) : record.namespaces,
      updatedAt: this.#options.clock.now(),
    });
  }

  /** @throws {HttpError} as {@link find}; 409 while a deployment uses it. */
  delete(id: string): void {
    this.find(id);
    const { store, clock } = this.#options;
    const { edition, tenantId } = this.#tenancy;
    const query = { now: clock.now(), listenerId: id, offset: 0, limit: 1 };
    const [user] = store.deployments.list(edition, tenantId, query);
    if (user) {
      throw new HttpError(409, `Listener ID ${id} is in use by deployment ID ${user.id}: delete that first.`);
    }
    this.#listeners.remove(id);
  }

  /**
   * Checks the listener and the namespace that a deployment names.
   * @throws {HttpError} 400 for a listener that the workspace doesn't have, or a namespace that isn't the listener's.
   */
  check(id: string, namespace: string | null | undefined): void {
    const listener = this.#listeners.get(id.toLowerCase());
    if (!listener) throw badRequest(`source_config.listener_id: Listener ID ${id} not found.`);
    const { namespaces } = listener;
    if (namespace !== null && namespace !== undefined && namespaces !== null && !namespaces.includes(namespace)) {
      throw badRequest(
        `source_config.listener_config.k8s_namespace: the listener isn't configured for "${namespace}", only for ${namespaces.join(", ")}.`,
      );
    }
  }

  #checkAllowed(): void {
    const { edition, tenantId } = this.#tenancy;
    if (edition === "self-hosted") return;
    throw new HttpError(
      403,
      `Listeners cannot be created for LangSmith workspace ID '${tenantId}'. Creating listeners is only allowed for LangSmith organizations with self-hosted enterprise plans.`,
    );
  }
}

/** A listener as clients see it. */
export function viewListener(record: ListenerRecord): ListenerBody {
  return {
    id: record.id,
    version: record.version,
    compute_type: record.computeType,
    compute_id: record.computeId,
    compute_config: { k8s_namespaces: record.namespaces },
    created_at: timestamp(record.createdAt),
    updated_at: timestamp(record.updatedAt),
  };
}
