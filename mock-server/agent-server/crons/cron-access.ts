import type { AccessRule } from "../auth/access-rule.ts";
import type { Fields } from "../engine/contract.ts";
import { authorizeRun } from "../runs/run-access.ts";

export const createCron: AccessRule = async ({ params, body }, access) => {
  const { schedule, timezone, end_time, enabled, metadata, assistant_id, on_run_completed, ...payload } =
    body as Fields;
  const threadId = params.thread_id ?? null;
  const permitted = await access.authorize("crons", "create", {
    schedule,
    timezone,
    end_time,
    enabled,
    metadata: metadata ?? {},
    assistant_id: access.assistantIdOf(String(assistant_id)),
    on_run_completed,
    thread_id: threadId,
    user_id: access.identity,
    payload,
  });
  await authorizeRun(access, params.thread_id, { ...payload, assistant_id: permitted.assistant_id });
  return { body: { ...(permitted.payload as Fields | undefined), ...permitted } };
};

export const patchCron: AccessRule = async ({ params, body }, { authorize }) => {
  const { schedule, timezone, end_time, enabled, metadata, on_run_completed, ...payload } = body as Fields;
  const fields = { schedule, timezone, end_time, enabled, on_run_completed };
  const permitted = await authorize("crons", "update", { ...fields, ...params, metadata: metadata ?? {}, payload });
  return { body: { ...(permitted.payload as Fields | undefined), ...permitted } };
};
