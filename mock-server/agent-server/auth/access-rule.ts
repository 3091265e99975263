import type { ValidRequest } from "../../kit/operation/operation.ts";
import type { Fields } from "../engine/contract.ts";
import type { AccessFilters } from "./access-filters.ts";
import type { AuthAction, AuthResource } from "./auth-handlers.ts";

/** Look-ups for access rules, not limited by access filters. */
export interface AccessLookUps {
  /** The id of an assistant, given its id or the name of a graph. */
  assistantIdOf(id: string): string;
  /** Whether the assistant with this id is a default assistant. */
  isDefaultAssistant(assistantId: string): boolean;
  /** The thread of a run; `null` for an unknown one. */
  threadIdOf(runId: string): string | null;
}

/** The argument of an access rule. */
export interface Access extends AccessLookUps {
  filters: AccessFilters;
  identity: string;
  /**
   * Calls the handlers, adds their filters, and returns the value with their changes.
   * @throws {HttpError} where they refuse.
   */
  authorize(resource: AuthResource, action: AuthAction, value: Fields): Promise<Fields>;
}

/** Authorizes one operation; returns the parts of the request that handlers changed. */
export type AccessRule = (
  request: ValidRequest,
  access: Access,
) => Promise<{ body?: unknown; query?: Fields } | undefined>;

/** Authorizes with the path parameters as the value. */
export function byPath(resource: AuthResource, action: AuthAction): AccessRule {
  return async ({ params, query }, access) => {
    const cancel = typeof query.action === "string" ? { action: query.action } : {};
    await access.authorize(resource, action, { ...named(params, access), ...cancel });
    return undefined;
  };
}

/** Authorizes with path parameters and body as the value; handlers may add metadata to it. */
export function byBody(resource: AuthResource, action: AuthAction): AccessRule {
  return async ({ params, body }, access) => {
    const { metadata, ...fields } = body as Fields;
    return {
      body: await access.authorize(resource, action, { ...fields, ...named(params, access), metadata: metadata ?? {} }),
    };
  };
}

/** Admits every authenticated user. */
export const needsUserOnly: AccessRule = async () => undefined;

/** The path parameters, with the id of the assistant instead of the name of a graph. */
function named({ assistant_id: id, ...others }: ValidRequest["params"], { assistantIdOf }: Access): Fields {
  return id === undefined ? others : { ...others, assistant_id: assistantIdOf(id) };
}
