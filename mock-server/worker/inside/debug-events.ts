import type { Fields } from "../../agent-server/engine/contract.ts";
import { shownConfigurable } from "../../agent-server/engine/shown-configurable.ts";
import { referenceOf } from "./snapshot.ts";

/** A chunk of the library's mode `debug`, as it is sent. */
export function debugView(chunk: unknown): unknown {
  const { type, payload, ...rest } = chunk as Fields;
  if (type === "checkpoint") return { ...rest, type, payload: debugCheckpoint(payload as Fields) };
  if (type === "task_result") return { ...rest, type, payload: taskView(payload as Fields) };
  return chunk;
}

/** A chunk of the library's mode `checkpoints`, as it is sent; `undefined` for what is only meant for newer streams. */
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

/** A task that is to run after a checkpoint, with `null` for what isn't known of it yet: clients count on these fields. */
function checkpointTask(task: Fields): Fields {
  return { error: null, checkpoint: null, ...taskView(task), state: null };
}

/** A task with the place of its own states, if it is a graph. */
export function taskView(task: Fields): Fields {
  const { state, ...rest } = task;
  const configurable = (state as { configurable?: Fields } | undefined)?.configurable;
  if (typeof configurable?.thread_id !== "string") return task;
  const { thread_id, checkpoint_id = null, checkpoint_ns = "", checkpoint_map = null } = configurable;
  return { ...rest, checkpoint: { thread_id, checkpoint_id, checkpoint_ns, checkpoint_map } };
}

/** A config without what the library and this server keep in it for themselves, and without the user. */
function shownConfig(config: unknown): unknown {
  const { configurable, callbacks: _, store: __, signal: ___, writer: ____, ...rest } = (config ?? {}) as Fields;
  if (typeof configurable !== "object" || configurable === null) return config;
  return { ...rest, configurable: shownConfigurable(configurable as Fields) };
}
