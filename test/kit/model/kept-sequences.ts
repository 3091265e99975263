import type { Step } from "./commands.ts";
import type { DeclaredDeployment } from "./program.ts";

const agent: DeclaredDeployment = { resource: "one", name: "agent-a", repository: 0, ref: "main" };
const add = (changes: Partial<DeclaredDeployment> = {}) => ({
  edit: "add" as const,
  deployment: { ...agent, ...changes },
});

/** Sequences that once broke an invariant, by topic. */
export const keptSequences: Readonly<Record<string, readonly Step[]>> = {
  "a tainted deployment is kept": [
    { step: "up", stack: "blue", edits: [add()] },
    { step: "taint", stack: "blue", at: 0 },
    { step: "up", stack: "blue", edits: [] },
  ],
  "a deployment that the engine must replace is kept": [
    { step: "up", stack: "blue", edits: [add()] },
    { step: "up", stack: "blue", edits: [], replace: 0 },
  ],
  "a deployment with several revisions that the engine must replace is kept": [
    { step: "up", stack: "blue", edits: [add()] },
    { step: "up", stack: "blue", edits: [{ edit: "change", at: 0, to: { ref: "next" } }] },
    { step: "up", stack: "blue", edits: [], replace: 0 },
  ],
  "a change with replaceOnChanges keeps the deployment": [
    { step: "up", stack: "blue", edits: [add({ replaceOnChanges: ["sourceRevisionConfig.repoRef"] })] },
    { step: "up", stack: "blue", edits: [{ edit: "change", at: 0, to: { ref: "next" } }] },
  ],
  "a replacement that another resource's failure leaves half done keeps the deployment": [
    { step: "up", stack: "green", edits: [add()] },
    { step: "elsewhere", does: "create", name: "agent-b", repository: 1 },
    { step: "taint", stack: "green", at: 0 },
    { step: "up", stack: "green", edits: [add({ resource: "two", name: "agent-b" })] },
  ],
  "a renamed resource that adopts its own deployment keeps it": [
    { step: "up", stack: "blue", edits: [add({ adopt: true })] },
    { step: "up", stack: "blue", edits: [{ edit: "rename", at: 0, to: "two", alias: false }] },
  ],
  "a stack lets go of what another stack has adopted": [
    { step: "up", stack: "green", edits: [add()] },
    { step: "up", stack: "blue", edits: [add({ adopt: true })] },
    { step: "up", stack: "green", edits: [{ edit: "remove", at: 0 }] },
  ],
  "a destruction lets go of what another stack has adopted": [
    { step: "up", stack: "green", edits: [add()] },
    { step: "up", stack: "blue", edits: [add({ adopt: true })] },
    { step: "destroy", stack: "green" },
  ],
  "a deployment stays when the upstream of its build command is deleted and made again": [
    { step: "up", stack: "blue", edits: [{ edit: "upstream", seed: 0 }, add({ fromUpstream: true })] },
    { step: "up", stack: "blue", edits: [{ edit: "upstream", seed: 1 }] },
  ],
  "two deployments in one component are a program": [
    {
      step: "up",
      stack: "blue",
      edits: [add({ component: "group" }), add({ resource: "two", name: "agent-b", component: "group" })],
    },
  ],
  "an entry that somebody else added survives a change of the environment": [
    { step: "up", stack: "blue", edits: [add()] },
    { step: "elsewhere", does: "add entry", at: 0 },
    { step: "up", stack: "blue", edits: [{ edit: "change", at: 0, to: { env: { MODE: "one" } } }] },
  ],
};
