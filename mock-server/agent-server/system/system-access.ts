import { HttpError } from "../../kit/http/http-error.ts";
import type { AccessRule } from "../auth/access-rule.ts";
import type { AuthResource } from "../auth/auth-handlers.ts";

/** Authorizes a truncation. It empties whole tables, so users whose access filters hide a part of one may not do it. */
export const mayTruncate: AccessRule = async ({ body }, { authorize, filters }) => {
  const chosen = body as Record<string, boolean>;
  const resources: [AuthResource, boolean | undefined][] = [
    ["threads", chosen.threads || chosen.runs || chosen.checkpointer],
    ["assistants", chosen.assistants],
    ["store", chosen.store],
  ];
  for (const [resource, isChosen] of resources) {
    if (!isChosen) continue;
    await authorize(resource, "delete", {});
    if (filters.isLimited(resource)) throw new HttpError(403, `This user may delete only some of the ${resource}.`);
  }
  return undefined;
};
