import { z } from "zod";
import type { A2aVersion } from "../persistence/push-config-table.ts";

const id = z.string().trim().min(1);
const optionalText = z.string().nullish();
const metadata = z.record(z.string(), z.unknown()).nullish();
const texts = z.array(z.string()).nullish();
const count = z
  .int()
  .min(0)
  .max(2 ** 31 - 1)
  .nullish();
const authority = { token: optionalText, id: optionalText, url: z.string().min(1).max(65_536) };

const contextId = z.string().max(1024).nullish();

const message = {
  messageId: id,
  contextId,
  taskId: optionalText,
  metadata,
  extensions: texts,
  referenceTaskIds: texts,
};
const sending = { acceptedOutputModes: texts, historyLength: count };

const oldFile = z.looseObject({ name: optionalText, mimeType: optionalText });
const oldPart = z.discriminatedUnion("kind", [
  z.looseObject({ kind: z.literal("text"), text: z.string(), metadata }),
  z.looseObject({ kind: z.literal("data"), data: z.record(z.string(), z.unknown()), metadata }),
  z.looseObject({
    kind: z.literal("file"),
    file: z.union([oldFile.extend({ bytes: z.base64() }), oldFile.extend({ uri: z.string() })]),
    metadata,
  }),
]);
// Credentials belong to one scheme, which is what 1.0 has.
const schemes = z.array(z.string()).transform((all) => all.slice(0, 1));
const oldAuthentication = z.looseObject({ schemes, credentials: optionalText }).nullish();
const oldPushConfig = z.looseObject({ ...authority, authentication: oldAuthentication });
const oldSend = z.looseObject({
  message: z.looseObject({ ...message, role: z.enum(["user", "agent"]), parts: z.array(oldPart).min(1) }),
  configuration: z
    .looseObject({ ...sending, blocking: z.boolean().nullish(), pushNotificationConfig: oldPushConfig.nullish() })
    .nullish(),
  metadata,
});
const oldTask = z.looseObject({ id, contextId, historyLength: count, metadata });
const oldTaskConfig = z.looseObject({ id, pushNotificationConfigId: optionalText, metadata });

const contents = ["text", "raw", "url", "data"] as const;
const part = z
  .looseObject({
    text: optionalText,
    raw: z.base64().nullish(),
    url: optionalText,
    data: z.unknown().optional(),
    filename: optionalText,
    mediaType: optionalText,
    metadata,
  })
  .refine((value) => contents.filter((name) => (value[name] ?? null) !== null).length === 1, {
    error: `Input should have one of ${contents.join(", ")}`,
  });
const authentication = z.looseObject({ scheme: optionalText, credentials: optionalText }).nullish();
const pushConfig = z.looseObject({ ...authority, taskId: optionalText, authentication });
const send = z.looseObject({
  message: z.looseObject({ ...message, role: z.enum(["ROLE_USER", "ROLE_AGENT"]), parts: z.array(part).min(1) }),
  configuration: z
    .looseObject({
      ...sending,
      returnImmediately: z.boolean().nullish(),
      taskPushNotificationConfig: pushConfig.nullish(),
    })
    .nullish(),
  metadata,
});
const task = z.looseObject({ id, historyLength: count, metadata });
const taskConfig = z.looseObject({ taskId: id, id });

const taskStates = [
  "SUBMITTED",
  "WORKING",
  "COMPLETED",
  "FAILED",
  "CANCELED",
  "INPUT_REQUIRED",
  "REJECTED",
  "AUTH_REQUIRED",
]
  .concat("UNSPECIFIED")
  .map((state) => `TASK_STATE_${state}`);

/** Methods of one version, with the schemas of their parameters. */
type Methods = Readonly<Record<string, z.ZodType>>;

/** The methods of both versions. The library reads parameters without checking their types. */
export const methods: Readonly<Record<A2aVersion, Methods>> = {
  "0.3": {
    "message/send": oldSend,
    "message/stream": oldSend,
    "tasks/get": oldTask,
    "tasks/cancel": oldTask,
    "tasks/resubscribe": oldTask,
    "tasks/pushNotificationConfig/set": z.looseObject({ taskId: id, pushNotificationConfig: oldPushConfig }),
    "tasks/pushNotificationConfig/get": oldTaskConfig,
    "tasks/pushNotificationConfig/list": oldTaskConfig,
    "tasks/pushNotificationConfig/delete": oldTaskConfig.extend({ pushNotificationConfigId: id }),
    "agent/getAuthenticatedExtendedCard": z.unknown(),
  },
  "1.0": {
    SendMessage: send,
    SendStreamingMessage: send,
    GetTask: task,
    ListTasks: z.looseObject({
      contextId,
      status: z.enum(taskStates).nullish(),
      pageSize: z.int().min(1).max(100).nullish(),
      pageToken: z
        .string()
        .regex(/^(\d+\.[\da-f-]+)?$/, "Input should be a token of an earlier response")
        .nullish(),
      historyLength: count,
      statusTimestampAfter: z.iso.datetime({ offset: true }).nullish(),
      includeArtifacts: z.boolean().nullish(),
    }),
    CancelTask: task,
    SubscribeToTask: task,
    CreateTaskPushNotificationConfig: pushConfig.extend({ taskId: id }),
    GetTaskPushNotificationConfig: taskConfig,
    ListTaskPushNotificationConfigs: z.looseObject({ taskId: id, pageSize: count, pageToken: optionalText }),
    DeleteTaskPushNotificationConfig: taskConfig,
    GetExtendedAgentCard: z.unknown(),
  },
};

const streaming: ReadonlySet<string> = new Set([
  "message/stream",
  "tasks/resubscribe",
  "SendStreamingMessage",
  "SubscribeToTask",
]);

export function isStreaming(method: string): boolean {
  return streaming.has(method);
}
