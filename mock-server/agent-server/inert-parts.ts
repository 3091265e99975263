import type { InertPart } from "../kit/operation/ignored-parts.ts";

/** What clients may ask an agent server for, and it takes without doing anything about it. */
export const inertParts: readonly InertPart[] = [
  {
    name: "feedback_keys",
    isInert: (value) => Array.isArray(value) && value.length > 0,
    reason: "does nothing: there is no feedback service that would make addresses of them",
  },
  {
    name: "checkpoint_during",
    isInert: (value) => value === true,
    reason: "does nothing: durability says when checkpoints are kept",
  },
  {
    name: "index",
    isInert: (value) => value !== null && value !== undefined,
    reason: "does nothing: items aren't embedded, and a query is scored by its words",
  },
  {
    name: "stream_mode",
    isInert: (value) => [value].flat().includes("lifecycle"),
    reason: "includes lifecycle, which tells nothing yet",
  },
  {
    name: "stream_modes",
    isInert: (value) => [value].flat().includes("lifecycle"),
    reason: "includes lifecycle, which tells of runs, and not yet of subgraphs",
  },
];
