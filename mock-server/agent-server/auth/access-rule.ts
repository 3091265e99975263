import type { ValidRequest } from "../../kit/operation/operation.ts";
import type { AgentHost } from "../agent-host.ts";
import { defaultAssistantId } from "../assistants/assistant-model.ts";
import type { Fields } from "../engine/contract.ts";
import type { AccessFilters } from "./access-filters.ts";
import type { AuthAction, AuthResource } from "./auth-handlers.ts";

/** What a rule consults. */
export interface Access {
  host: AgentHost;
  filters: AccessFilters;
  identity: string;
  /** Asks the handlers, limits the request to what they permit, and returns the value as they have left it. */
  ask(resource: AuthResource, action: AuthAction, value: Fields): Promise<Fields>;
}

/** Asks the handlers about one operation, and returns what they have changed of the request. */
export type AccessRule = (
  request: ValidRequest,
  access: Access,
) => Promise<{ body?: unknown; query?: Fields } | undefined>;

/** Asks with the path's parameters. */
export function byPath(resource: AuthResource, action: AuthAction): AccessRule {
  return async ({ params, query }, access) => {
    const { assistant_id: assistantId, ...others } = params;
    const named = assistantId === undefined ? {} : { assistant_id: assistantIdOf(access.host, assistantId) };
    const cancel = typeof query.action === "string" ? { action: query.action } : {};
    await access.ask(resource, action, { ...named, ...others, ...cancel });
    return undefined;
  };
}

/** Asks with the path's parameters and the body, whose metadata handlers may add to. */
export function byBody(resource: AuthResource, action: AuthAction): AccessRule {
  return async ({ params, body }, access) => {
    const { metadata, ...fields } = body as Fields;
    const { assistant_id: assistantId, ...others } = params;
    const named =
      assistantId === undefined ? others : { ...others, assistant_id: assistantIdOf(access.host, assistantId) };
    return { body: await access.ask(resource, action, { ...fields, ...named, metadata: metadata ?? {} }) };
  };
}

export function assistantIdOf({ graphs }: AgentHost, id: string): string {
  return graphs.has(id) ? defaultAssistantId(id) : id.toLowerCase();
}

/** Any user may. */
export const needsUserOnly: AccessRule = async () => undefined;
