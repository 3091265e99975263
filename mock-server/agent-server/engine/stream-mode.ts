import { z } from "zod";

/** The stream modes of runs. `lifecycle` is accepted and has no events yet. */
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
  "lifecycle",
] as const;
export type StreamMode = (typeof streamModes)[number];

const known = streamModes.join(", ");

export const streamModeSchema = z.enum(streamModes, {
  error: ({ input }) => `Input should be a stream mode, which ${JSON.stringify(input)} isn't; the modes are ${known}`,
});
