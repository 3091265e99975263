import { badRequest, HttpError } from "../../kit/http/http-error.ts";
import type { Page } from "../../kit/store/table.ts";
import type { Mock } from "../../mock.ts";
import type { Scope } from "../deployments/deployment-model.ts";
import type { ListenerRecord } from "../store/records.ts";
import type { ListenerBody, ListenerCreateBody, ListenerPatchBody } from "./listener-schemas.ts";

/** Name of a namespace as Kubernetes takes it (RFC 1123 label). */
const namespaceExpression = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

function checkNamespaces(namespaces: readonly string[] | null | undefined): void {
  const broken = namespaces?.find((name) => !namespaceExpression.test(name));
  if (broken !== undefined) {
    throw badRequest(
      `compute_config.k8s_namespaces: "${broken}" is no name of a namespace: up to 63 lower-case letters, digits and hyphens.`,
    );
  }
}

/** @throws {HttpError} 403 in the cloud edition, which has no listeners. */
export function checkListenersAllowed({ edition, tenantId }: Scope): void {
  if (edition === "self-hosted") return;
  throw new HttpError(
    403,
    `Listeners cannot be created for LangSmith workspace ID '${tenantId}'. Creating listeners is only allowed for LangSmith organizations with self-hosted enterprise plans.`,
  );
}

/** One page of the listeners of a workspace, newest first. The cloud edition has none. */
export function pageOfListeners(mock: Mock, { edition, tenantId }: Scope, query: Page): ListenerRecord[] {
  if (edition !== "self-hosted") return [];
  return mock.state.listeners.page({ tenantId }, query);
}

/** @throws {HttpError} 403 in the cloud edition, 404 unless the workspace has the listener. */
export function findListener(mock: Mock, scope: Scope, id: string): ListenerRecord {
  checkListenersAllowed(scope);
  const record = mock.state.listeners.get(id);
  if (record?.tenantId !== scope.tenantId) throw new HttpError(404, `Listener ID ${id} not found.`);
  return record;
}

/** @throws {HttpError} 403 in the cloud edition, 400 for a broken namespace, 409 for a compute ID in use. */
export function createListener(mock: Mock, scope: Scope, body: ListenerCreateBody): ListenerRecord {
  checkListenersAllowed(scope);
  checkNamespaces(body.compute_config.k8s_namespaces);
  const { tenantId } = scope;
  if (mock.state.listeners.hasAny({ tenantId, computeId: body.compute_id })) {
    throw new HttpError(
      409,
      `Listener for LangSmith workspace ID '${tenantId}' and compute ID '${body.compute_id}' already exists.`,
    );
  }
  const now = mock.clock.now();
  const record: ListenerRecord = {
    id: mock.ids.uuid(),
    tenantId,
    version: body.version ?? null,
    computeType: body.compute_type,
    computeId: body.compute_id,
    namespaces: body.compute_config.k8s_namespaces ?? null,
    createdAt: now,
    updatedAt: now,
  };
  mock.state.listeners.put(record);
  return record;
}

/** @throws {HttpError} 400 for another compute type or ID, or a broken namespace. */
export function patchListener(mock: Mock, record: ListenerRecord, body: ListenerPatchBody): ListenerRecord {
  for (const [field, value, present] of [
    ["compute_type", body.compute_type, record.computeType],
    ["compute_id", body.compute_id, record.computeId],
  ] as const) {
    if (value !== null && value !== undefined && value !== present) {
      throw badRequest(`${field} can't be changed once the listener is created.`);
    }
  }
  checkNamespaces(body.compute_config?.k8s_namespaces);
  const patched: ListenerRecord = {
    ...record,
    version: body.version ?? record.version,
    namespaces: body.compute_config ? (body.compute_config.k8s_namespaces ?? null) : record.namespaces,
    updatedAt: mock.clock.now(),
  };
  mock.state.listeners.put(patched);
  return patched;
}

/** @throws {HttpError} 409 while a deployment uses it. */
export function deleteListener(mock: Mock, scope: Scope, { id }: ListenerRecord): void {
  const [user] = mock.state.deployments.list(scope.edition, scope.tenantId, {
    now: mock.clock.now(),
    listenerId: id,
    offset: 0,
    limit: 1,
  });
  if (user) {
    throw new HttpError(409, `Listener ID ${id} is in use by deployment ID ${user.id}: delete that first.`);
  }
  mock.state.listeners.remove(id);
}

/**
 * Checks the listener and the namespace that a deployment names.
 * @throws {HttpError} 400 for a listener that the workspace hasn't, or a namespace that the listener isn't configured for.
 */
export function checkListener(mock: Mock, scope: Scope, id: string, namespace: string | null | undefined): void {
  const listener = mock.state.listeners.get(id.toLowerCase());
  if (listener?.tenantId !== scope.tenantId) {
    throw badRequest(`source_config.listener_id: Listener ID ${id} not found.`);
  }
  const { namespaces } = listener;
  if (namespace !== null && namespace !== undefined && namespaces !== null && !namespaces.includes(namespace)) {
    throw badRequest(
      `source_config.listener_config.k8s_namespace: the listener isn't configured for "${namespace}", only for ${namespaces.join(", ")}.`,
    );
  }
}

export function viewListener(record: ListenerRecord): ListenerBody {
  return {
    id: record.id,
    version: record.version,
    compute_type: record.computeType,
    compute_id: record.computeId,
    compute_config: { k8s_namespaces: record.namespaces },
    created_at: new Date(record.createdAt).toISOString(),
    updated_at: new Date(record.updatedAt).toISOString(),
  };
}
