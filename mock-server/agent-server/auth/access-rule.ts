import type { ValidRequest } from "../../kit/operation/operation.ts";
import type { Fields } from "../engine/contract.ts";
import type { AccessFilters } from "./access-filters.ts";
import type { AuthAction, AuthResource } from "./auth-handlers.ts";

/** What rules look up, whoever may see it. */
export interface AccessLookUps {
  /** The id of the assistant that a client names by it, or by the name of a graph. */
  assistantIdOf(id: string): string;
  /** Whether an assistant, given by its id, is the default one of a graph. */
  isDefaultAssistant(assistantId: string): boolean;
  /** The thread of a run; `null` for an unknown one. */
  threadIdOf(runId: string): string | null;
}

/** What a rule consults. */
export interface Access extends AccessLookUps {
  filters: AccessFilters;
  identity: string;
  /** Asks the handlers, limits the request to what they permit, and returns the value as they have left it. */
  authorize(resource: AuthResource, action: AuthAction, value: Fields): Promise<Fields>;
}

/** Asks the handlers about one operation, and returns what they have changed of the request. */
export type AccessRule = (
  request: ValidRequest,
  access: Access,
) => Promise<{ body?: unknown; query?: Fields } | undefined>;

/** Asks with the path's parameters. */
export function byPath(resource: AuthResource, action: AuthAction): AccessRule {
  return async ({ params, query }, access) => {
    const cancel = typeof query.action === "string" ? { action: query.action } : {};
    await access.authorize(resource, action, { ...named(params, access), ...cancel });
    return undefined;
  };
}

/** Asks with the path's parameters and the body, whose metadata handlers may add to. */
export function byBody(resource: AuthResource, action: AuthAction): AccessRule {
  return async ({ params, body }, access) => {
    const { metadata, ...fields } = body as Fields;
    return {
      body: await access.authorize(resource, action, { ...fields, ...named(params, access), metadata: metadata ?? {} }),
    };
  };
}

/** Any user may. */
export const needsUserOnly: AccessRule = async () => undefined;

/** The path's parameters, with the assistant by its id. */
function named({ assistant_id: id, ...others }: ValidRequest["params"], { assistantIdOf }: Access): Fields {
  return id === undefined ? others : { ...others, assistant_id: assistantIdOf(id) };
}
