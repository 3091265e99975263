import type { Fields } from "../../agent-server/engine/contract.ts";
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
  const { values, metadata, next } = chunk as Fields;
  return next === undefined ? undefined : { values, metadata, next };
}

function debugCheckpoint({ config, parentConfig, tasks, ...rest }: Fields): Fields {
  return {
    config: shownConfig(config),
    ...rest,
    tasks: (tasks as Fields[]).map(taskView),
    checkpoint: referenceOf(config as Fields),
    parent_checkpoint: referenceOf(parentConfig as Fields | undefined),
    ...(parentConfig === undefined ? {} : { parent_config: shownConfig(parentConfig) }),
  };
}

/** A task with the place of its own states, if it is a graph. */
export function taskView(task: Fields): Fields {
  const { state, ...rest } = task;
  const configurable = (state as { configurable?: Fields } | undefined)?.configurable;
  if (typeof configurable?.thread_id !== "string") return task;
  const { thread_id, checkpoint_id = null, checkpoint_ns = "", checkpoint_map = null } = configurable;
  return { ...rest, checkpoint: { thread_id, checkpoint_id, checkpoint_ns, checkpoint_map } };
}

/** What a graph may know of the user, by both names: it may hold tokens. */
const ofUser = /^(?:lang)?graph_auth_/;

/** A config without what the library and this server keep in it for themselves, and without the user. */
function shownConfig(config: unknown): unknown {
  const { configurable, callbacks: _, store: __, signal: ___, writer: ____, ...rest } = (config ?? {}) as Fields;
  if (typeof configurable !== "object" || configurable === null) return config;
  const shown = Object.entries(configurable).filter(([name]) => !name.startsWith("__") && !ofUser.test(name));
  return { ...rest, configurable: Object.fromEntries(shown) };
}
