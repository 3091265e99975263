import { type Access, type AccessRule, assistantIdOf } from "../auth/access-rule.ts";
import type { Fields } from "../engine/contract.ts";

/** Starting a run needs the thread's permission, and that to read the assistant. */
export async function askToRun({ ask, host }: Access, threadId: string | undefined, body: Fields): Promise<Fields> {
  const { assistant_id: assistantId, metadata, multitask_strategy, if_not_exists, after_seconds, ...kwargs } = body;
  const asked = await ask("threads", "create_run", {
    thread_id: threadId ?? null,
    assistant_id: assistantIdOf(host, String(assistantId)),
    status: "pending",
    metadata: metadata ?? {},
    prevent_insert_if_inflight: multitask_strategy === "reject",
    multitask_strategy,
    if_not_exists,
    after_seconds,
    kwargs,
  });
  await ask("assistants", "read", { assistant_id: asked.assistant_id });
  return { ...asked, ...(asked.kwargs as Fields | undefined) };
}

export const startRun: AccessRule = async ({ params, body }, access) => ({
  body: await askToRun(access, params.thread_id, body as Fields),
});
