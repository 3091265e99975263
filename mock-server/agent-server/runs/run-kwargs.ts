import { toBothNames } from "../../../core/client/wire/naming.ts";
import type { Fields } from "../engine/contract.ts";
import type { StreamMode } from "../engine/stream-mode.ts";
import type { AssistantRecord, ThreadRecord } from "../persistence/records.ts";
import type { RunStart } from "./run-schemas.ts";

/** Everything that a run's arguments are made of. */
export interface RunParts {
  body: RunStart;
  assistant: AssistantRecord;
  thread: ThreadRecord | undefined;
  runId: string;
  threadId: string;
  headers: Headers | undefined;
}

const secretHeaders: ReadonlySet<string> = new Set(["x-api-key", "x-tenant-id", "x-service-key"]);

const namesOfRun: ReadonlySet<string> = new Set([
  "run_id",
  "thread_id",
  "graph_id",
  "assistant_id",
  "checkpoint_id",
  "checkpoint_ns",
  "checkpoint_map",
]);

/** The headers that graphs may read: those that begin with `x-`, but for keys, and the user agent. */
function configurableHeaders(headers: Headers | undefined): Fields {
  const kept: Fields = {};
  for (const [name, value] of headers ?? []) {
    if (name === "user-agent" || (name.startsWith("x-") && !secretHeaders.has(name))) kept[name] = value;
  }
  return kept;
}

/** The metadata of a run: the assistant's, the thread's, the configs', the request's, each over the one before. */
export function runMetadata({ body, assistant, thread }: RunParts): Fields {
  return {
    ...assistant.metadata,
    ...thread?.metadata,
    ...metadataOf(assistant.config),
    ...metadataOf(body.config),
    ...body.metadata,
    graph_id: assistant.graph_id,
    assistant_id: assistant.assistant_id,
  };
}

/** What isn't an object of fields is no metadata. */
function metadataOf({ metadata }: Fields = {}): Fields | undefined {
  return typeof metadata === "object" && metadata !== null && !Array.isArray(metadata)
    ? (metadata as Fields)
    : undefined;
}

/** The arguments of a run, as they are kept and shown. */
export function runKwargs(parts: RunParts): Fields {
  const { body, assistant, runId, threadId, headers } = parts;
  const metadata = runMetadata(parts);
  const configurable = {
    ...(assistant.config.configurable as Fields | undefined),
    ...configurableHeaders(headers),
    ...body.config?.configurable,
    run_id: runId,
    thread_id: threadId,
    graph_id: assistant.graph_id,
    assistant_id: assistant.assistant_id,
  };
  const checkpoint =
    body.checkpoint_id === undefined ? body.checkpoint : { ...body.checkpoint, checkpoint_id: body.checkpoint_id };
  return {
    ...(body.input === undefined ? {} : { input: body.input }),
    ...(body.command ? { command: body.command } : {}),
    config: { ...assistant.config, ...body.config, configurable: toBothNames(configurable), metadata },
    context: { ...assistant.context, ...body.context },
    stream_mode: streamModesOf(body),
    ...(body.interrupt_before ? { interrupt_before: body.interrupt_before } : {}),
    ...(body.interrupt_after ? { interrupt_after: body.interrupt_after } : {}),
    ...(body.webhook === undefined ? {} : { webhook: body.webhook }),
    ...(body.feedback_keys ? { feedback_keys: body.feedback_keys } : {}),
    ...(checkpoint ? { checkpoint } : {}),
    temporary: body.on_completion === "delete",
    subgraphs: body.stream_subgraphs,
    resumable: body.stream_resumable,
  };
}

/**
 * What a thread keeps of the config of a run: not what names the run, where it began, and what is in the thread's
 * metadata anyway.
 */
export function keptConfig({ metadata: _, ...config }: Fields): Fields {
  const entries = Object.entries((config.configurable as Fields | undefined) ?? {});
  const configurable = Object.fromEntries(entries.filter(([name]) => !namesOfRun.has(name)));
  return { ...config, configurable };
}

export function streamModesOf({ stream_mode: mode }: Pick<RunStart, "stream_mode">): StreamMode[] {
  const modes = mode === undefined ? [] : [mode].flat();
  return modes.length > 0 ? [...new Set(modes)] : ["values"];
}
