import type { Access, AccessRule } from "../auth/access-rule.ts";
import type { Fields } from "../engine/contract.ts";

/**
 * Authorizes starting a run: needs permission for the thread and, unless it is a default one, to read the assistant.
 */
export async function authorizeRun(
  { authorize, assistantIdOf, isDefaultAssistant }: Access,
  threadId: string | undefined,
  body: Fields,
): Promise<Fields> {
  const { assistant_id: assistantId, metadata, multitask_strategy, if_not_exists, after_seconds, ...kwargs } = body;
  const permitted = await authorize("threads", "create_run", {
    thread_id: threadId ?? null,
    assistant_id: assistantIdOf(String(assistantId)),
    status: "pending",
    metadata: metadata ?? {},
    prevent_insert_if_inflight: multitask_strategy === "reject",
    multitask_strategy,
    if_not_exists,
    after_seconds,
    kwargs,
  });
  const permittedId = assistantIdOf(String(permitted.assistant_id));
  if (!isDefaultAssistant(permittedId)) await authorize("assistants", "read", { assistant_id: permittedId });
  return { ...permitted, ...(permitted.kwargs as Fields | undefined) };
}

export const startRun: AccessRule = async ({ params, body }, access) => ({
  body: await authorizeRun(access, params.thread_id, body as Fields),
});
