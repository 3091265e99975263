import type { Assistants } from "./assistants/assistants.ts";
import type { AccessFilters } from "./auth/access-filters.ts";
import type { AuthUser } from "./auth/auth-handlers.ts";
import type { Crons } from "./crons/crons.ts";
import type { RunResponses } from "./runs/run-responses.ts";
import type { Runs } from "./runs/runs.ts";
import type { Items } from "./store/items.ts";
import type { System } from "./system/system.ts";
import type { StateUpdates } from "./threads/state-updates.ts";
import type { ThreadStates } from "./threads/thread-states.ts";
import type { Threads } from "./threads/threads.ts";

/** Who sends a request, and what the auth handlers have limited it to. */
export interface Caller {
  user: AuthUser;
  filters: AccessFilters;
}

/** What the handlers of requests work with: of the agent server's resources, those that the caller may see. */
export interface AgentServices {
  readonly assistants: Assistants;
  readonly threads: Threads;
  readonly threadStates: ThreadStates;
  readonly stateUpdates: StateUpdates;
  readonly runs: Runs;
  readonly runResponses: RunResponses;
  readonly crons: Crons;
  readonly items: Items;
  readonly system: System;
}
