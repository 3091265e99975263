import type { Fields } from "../graph.ts";

/** What the library says of a message under names with its own in them, and that clients may also read under neutral ones. */
const renamed = ["step", "node", "triggers", "path", "checkpoint_ns"];

/** What is known of a message, under both spellings of each name. */
export function messageMetadata(metadata: Fields): Fields {
  const neutral = renamed.flatMap((name) => {
    const value = metadata[`langgraph_${name}`];
    return value === undefined ? [] : [[`graph_${name}`, value]];
  });
  return { ...metadata, ...Object.fromEntries(neutral) };
}
