import { toBothNames, toNeutralNames } from "../../../core/client/wire/conventions.ts";
import type { HeaderPatterns } from "../../kit/http/header-patterns.ts";
import type { Fields } from "../engine/contract.ts";
import type { StreamMode } from "../engine/stream-mode.ts";
import type { AssistantRecord, ThreadRecord } from "../persistence/records.ts";
import { headersForGraphs, isNameOfHeader } from "./headers-for-graphs.ts";
import type { RunStart } from "./run-schemas.ts";

/** Everything that a run's arguments are made of. */
export interface RunParts {
  body: RunStart;
  assistant: AssistantRecord;
  thread: ThreadRecord | undefined;
  runId: string;
  threadId: string;
  headers: Headers | undefined;
  /** Which headers graphs can read. */
  headerPatterns: HeaderPatterns | null;
}

const namesOfRun: ReadonlySet<string> = new Set([
  "run_id",
  "thread_id",
  "graph_id",
  "assistant_id",
  "checkpoint_id",
  "checkpoint_ns",
  "checkpoint_map",
]);

/**
 * Configs as one: fields of the later ones replace those of the earlier ones, and so do the fields of `configurable`.
 */
function mergeConfigs(...configs: readonly Fields[]): Fields {
  const merged: Fields = {};
  for (const { configurable } of configs) Object.assign(merged, toNeutralNames((configurable ?? {}) as Fields));
  return Object.assign({}, ...configs, { configurable: toBothNames(merged) });
}

/** What a run takes over of the config of its thread: not the headers, which are those of an earlier request. */
function inheritedConfig({ config }: Pick<ThreadRecord, "config">, headers: HeaderPatterns | null): Fields {
  return { ...config, configurable: without(config.configurable, (name) => isNameOfHeader(name, headers)) };
}

function without(fields: unknown, isLeftOut: (name: string) => boolean): Fields {
  return Object.fromEntries(Object.entries((fields ?? {}) as Fields).filter(([name]) => !isLeftOut(name)));
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
  const { body, assistant, thread, runId, threadId, headers, headerPatterns } = parts;
  const config = mergeConfigs(
    assistant.config,
    thread ? inheritedConfig(thread, headerPatterns) : {},
    { configurable: headersForGraphs(headers, headerPatterns) },
    body.config ?? {},
    {
      configurable: {
        run_id: runId,
        thread_id: threadId,
        graph_id: assistant.graph_id,
        assistant_id: assistant.assistant_id,
      },
    },
  );
  const checkpoint =
    body.checkpoint_id === undefined ? body.checkpoint : { ...body.checkpoint, checkpoint_id: body.checkpoint_id };
  return {
    ...(body.input === undefined ? {} : { input: body.input }),
    ...(body.command ? { command: body.command } : {}),
    config: { ...config, metadata: runMetadata(parts) },
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
 * The config of a thread once a run uses it: its own and the run's, without what names the run, where it began, and
 * what is in the thread's metadata anyway.
 */
export function threadConfig(
  thread: Pick<ThreadRecord, "config">,
  { metadata: _, ...config }: Fields,
  headerPatterns: HeaderPatterns | null,
): Fields {
  const ofRun = { ...config, configurable: without(config.configurable, (name) => namesOfRun.has(name)) };
  return mergeConfigs(inheritedConfig(thread, headerPatterns), ofRun);
}

export function streamModesOf({ stream_mode: mode }: Pick<RunStart, "stream_mode">): StreamMode[] {
  const modes = mode === undefined ? [] : [mode].flat();
  return modes.length > 0 ? [...new Set(modes)] : ["values"];
}
