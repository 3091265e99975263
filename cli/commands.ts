import type { Command } from "commander";
import { closeOnSignal } from "../mock-server/run-until-signal.ts";

/** A command whose code is loaded only when it is used. */
export interface CommandEntry {
  name: string;
  /** Its line in `graphdeploy --help`. */
  summary: string;
  load: () => Promise<Command>;
}

export const commands: readonly CommandEntry[] = [
  {
    name: "validate",
    summary: "check a declarative file, without sending anything",
    load: async () => (await import("./validate.ts")).validateCommand(),
  },
  {
    name: "plan",
    summary: "show what an apply would change",
    load: async () => (await import("./plan.ts")).planCommand(),
  },
  {
    name: "apply",
    summary: "bring the platform to what a file declares",
    load: async () => (await import("./apply.ts")).applyCommand(),
  },
  {
    name: "destroy",
    summary: "delete what a file owns",
    load: async () => (await import("./destroy.ts")).destroyCommand(),
  },
  {
    name: "status",
    summary: "show the deployments of a file",
    load: async () => (await import("./status.ts")).statusCommand(),
  },
  {
    name: "logs",
    summary: "print the log of a deployment",
    load: async () => (await import("./logs.ts")).logsCommand(),
  },
  {
    name: "redeploy",
    summary: "roll deployments out again as they are",
    load: async () => (await import("./redeploy.ts")).redeployCommand(),
  },
  {
    name: "rollback",
    summary: "bring back a revision that was live before",
    load: async () => (await import("./rollback.ts")).rollbackCommand(),
  },
  {
    name: "mock",
    summary: "run a mock of the whole platform",
    load: async () => (await import("../mock-server/mock-command.ts")).mockCommand(closeOnSignal),
  },
  {
    name: "dev",
    summary: "run one agent server",
    load: async () => (await import("../mock-server/dev-command.ts")).devCommand(closeOnSignal),
  },
];
