import type { InertPart } from "../kit/operation/ignored-parts.ts";

/** Parameters and fields that agent servers accept without effect. */
export const inertParts: readonly InertPart[] = [
  {
    name: "feedback_keys",
    isInert: (value) => Array.isArray(value) && value.length > 0,
    reason: "has no effect: there is no feedback service to create URLs",
  },
  {
    name: "checkpoint_during",
    isInert: (value) => value === true,
    reason: "has no effect: durability decides when checkpoints are stored",
  },
  {
    name: "index",
    isInert: (value) => value !== null && value !== undefined,
    reason: "has no effect: items aren't embedded; queries are scored by their words",
  },
  {
    name: "stream_mode",
    isInert: (value) => [value].flat().includes("lifecycle"),
    reason: "includes lifecycle, which has no events yet",
  },
  {
    name: "stream_modes",
    isInert: (value) => [value].flat().includes("lifecycle"),
    reason: "includes lifecycle, which has events of runs, and none of subgraphs yet",
  },
];
