import { HttpError } from "../../kit/http/http-error.ts";
import type { AccessRule } from "../auth/access-rule.ts";
import type { AuthResource } from "../auth/auth-handlers.ts";

/** The tables that a truncation empties belong to everybody: who may see only a part of one may not empty it. */
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
