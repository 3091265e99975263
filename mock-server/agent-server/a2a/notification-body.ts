import type { Task } from "@a2a-js/sdk";
import { V03PushNotificationSerializer } from "@a2a-js/sdk/compat/v0_3/server";
import { V1PushNotificationSerializer } from "@a2a-js/sdk/server";
import type { A2aVersion } from "../persistence/push-config-table.ts";

const serializers = { "0.3": new V03PushNotificationSerializer(), "1.0": new V1PushNotificationSerializer() };

/** The body of a push notification: the task, in the form of a version. */
export function notificationBody(task: Task, version: A2aVersion): { body: string; contentType: string } {
  return serializers[version].serialize({ payload: { $case: "task", value: task } });
}
