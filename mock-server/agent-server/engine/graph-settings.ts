import { toBothNames } from "../../../core/client/wire/conventions.ts";
import type { AuthUser } from "../auth/auth-user.ts";
import type { Fields, GraphSettings } from "./contract.ts";

/** The settings of a graph, with the authenticated user, which replaces any that request or assistant name. */
export function graphSettings(config: Fields, context: Fields, user: AuthUser | null): GraphSettings {
  const configurable = { ...(config.configurable as Fields | undefined), ...configurableUser(user) };
  return { config: { ...config, configurable: toBothNames(configurable) }, context };
}

function configurableUser(user: AuthUser | null): Fields {
  if (!user) return {};
  const { identity, permissions } = user;
  return {
    graph_auth_user: user,
    graph_auth_user_id: identity,
    graph_auth_permissions: permissions,
    user_id: identity,
  };
}
