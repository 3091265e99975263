import type { Fields } from "../../agent-server/engine/contract.ts";
import { shownConfigurable } from "../../agent-server/engine/shown-configurable.ts";
import { referenceOf } from "./snapshot.ts";

/** A chunk of the library's mode `debug`, as clients see it. */
export function debugView(chunk: unknown): unknown {
  const { type, payload, ...rest } = chunk as Fields;
  if (type === "checkpoint") return { ...rest, type, payload: debugCheckpoint(payload as Fields) };
  if (type === "task_result") return { ...rest, type, payload: taskView(payload as Fields) };
  return chunk;
}

/**
 * A chunk of the library's mode `checkpoints`, as clients see it; `undefined` for chunks that only newer streams have.
 */
export function checkpointView(chunk: unknown): unknown {
  const { next, values, metadata, config, parentConfig, tasks } = chunk as Fields;
  if (next === undefined) return undefined;
  return { ...placeView(config, parentConfig), values, metadata, next, tasks: (tasks as Fields[]).map(checkpointTask) };
}

function debugCheckpoint({ config, parentConfig, tasks, ...rest }: Fields): Fields {
  return {
    ...placeView(config, parentConfig),
    ...rest,
    tasks: (tasks as Fields[]).map(checkpointTask),
    checkpoint: referenceOf(config as Fields),
    parent_checkpoint: referenceOf(parentConfig as Fields | undefined),
  };
}

function placeView(config: unknown, parentConfig: unknown): Fields {
  return {
    config: shownConfig(config),
    parent_config: parentConfig === undefined ? null : shownConfig(parentConfig),
  };
}

/** A pending task of a checkpoint, with `null` for fields without a value yet: clients rely on them. */
function checkpointTask(task: Fields): Fields {
  return { error: null, checkpoint: null, ...taskView(task), state: null };
}

/** A task, with a reference to its states if it is a subgraph. */
export function taskView(task: Fields): Fields {
  const { state, ...rest } = task;
  const configurable = (state as { configurable?: Fields } | undefined)?.configurable;
  if (typeof configurable?.thread_id !== "string") return task;
  const { thread_id, checkpoint_id = null, checkpoint_ns = "", checkpoint_map = null } = configurable;
  return { ...rest, checkpoint: { thread_id, checkpoint_id, checkpoint_ns, checkpoint_map } };
}

/** A config without the user and without internal keys of the library and this server. */
function shownConfig(config: unknown): unknown {
  const { configurable, callbacks: _, store: __, signal: ___, writer: ____, ...rest } = (config ?? {}) as Fields;
  if (typeof configurable !== "object" || configurable === null) return config;
  return { ...rest, configurable: shownConfigurable(configurable as Fields) };
}
