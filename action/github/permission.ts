import type { GitHub } from "./client.ts";

/**
 * A user's permission in the repository, such as `write`; `undefined` if it can't be read, and then `onUnknown` gets
 * the reason.
 */
export async function permissionOf(
  github: GitHub,
  username: string,
  onUnknown: (reason: string) => void,
): Promise<string | undefined> {
  const read = async () => {
    const { data } = await github.octokit.rest.repos.getCollaboratorPermissionLevel({ ...github.repository, username });
    return data.permission;
  };
  return github.attempt(`Looking up the permission of ${username}`, "metadata: read", read, onUnknown);
}
