import type { AuthUser } from "./auth-user.ts";

/** The user of the developer interface, whom no handler has authenticated. */
export const studioUser: AuthUser = {
  kind: "StudioUser",
  display_name: "langgraph-studio-user",
  identity: "langgraph-studio-user",
  permissions: [],
  is_authenticated: true,
};

/** Whether a user that an auth handler is given is one of the developer interface, whom it may permit everything. */
export function isStudioUser(user: { identity: string; kind?: unknown }): boolean {
  return user.kind === studioUser.kind || user.identity === studioUser.identity;
}
