import { type AccessRule, assistantIdOf } from "../auth/access-rule.ts";
import type { Fields } from "../engine/contract.ts";
import { askToRun } from "../runs/run-access.ts";

export const createCron: AccessRule = async ({ params, body }, access) => {
  const { schedule, timezone, end_time, enabled, metadata, assistant_id, on_run_completed, ...payload } =
    body as Fields;
  const threadId = params.thread_id ?? null;
  const asked = await access.ask("crons", "create", {
    schedule,
    timezone,
    end_time,
    enabled,
    metadata: metadata ?? {},
    assistant_id: assistantIdOf(access.host, String(assistant_id)),
    on_run_completed,
    thread_id: threadId,
    user_id: access.identity,
    payload,
  });
  await askToRun(access, params.thread_id, { ...payload, assistant_id: asked.assistant_id });
  return { body: { ...(asked.payload as Fields | undefined), ...asked } };
};

export const patchCron: AccessRule = async ({ params, body }, { ask }) => {
  const { schedule, timezone, end_time, enabled, metadata, on_run_completed, ...payload } = body as Fields;
  const fields = { schedule, timezone, end_time, enabled, on_run_completed };
  const asked = await ask("crons", "update", { ...fields, ...params, metadata: metadata ?? {}, payload });
  return { body: { ...(asked.payload as Fields | undefined), ...asked } };
};
