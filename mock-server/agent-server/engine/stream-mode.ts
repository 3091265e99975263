import { z } from "zod";

/** What a run may be asked to stream. `lifecycle` is accepted, and tells nothing yet. */
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
  error: ({ input }) => `Input should be a stream mode, and ${JSON.stringify(input)} is none; there are ${known}`,
});
