import type { AuthUser } from "./auth-user.ts";

/** The user of the developer interface, whom no handler authenticates. */
export const studioUser: AuthUser = {
  kind: "StudioUser",
  display_name: "langgraph-studio-user",
  identity: "langgraph-studio-user",
  permissions: [],
  is_authenticated: true,
};

/** Whether the user is that of the developer interface; for auth handlers that permit it everything. */
export function isStudioUser(user: { identity: string; kind?: unknown }): boolean {
  return user.kind === studioUser.kind || user.identity === studioUser.identity;
}
