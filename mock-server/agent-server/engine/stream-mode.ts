/** What a run may be asked to stream. */
export const streamModes = [
  "values",
  "messages",
  "messages-tuple",
  "tasks",
  "checkpoints",
  "updates",
  "events",
  "debug",
  "custom",
  "tools",
] as const;
export type StreamMode = (typeof streamModes)[number];
