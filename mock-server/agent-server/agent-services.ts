import type { KeyedLocks } from "../kit/keyed-locks.ts";
import type { AgentRuntime, AgentSettings } from "./agent-runtime.ts";
import { Assistants } from "./assistants/assistants.ts";
import type { DefaultAssistants } from "./assistants/default-assistants.ts";
import type { Graphs } from "./assistants/graphs.ts";
import type { AccessFilters } from "./auth/access-filters.ts";
import type { AuthUser } from "./auth/auth-user.ts";
import type { CronTimer } from "./crons/cron-timer.ts";
import { Crons } from "./crons/crons.ts";
import type { Fields } from "./engine/contract.ts";
import { EventStreaming } from "./event-streaming/event-streaming.ts";
import type { AgentState } from "./persistence/agent-state.ts";
import type { CurrentProject } from "./project-settings.ts";
import type { LiveRuns } from "./runs/live-runs.ts";
import { RunResponses } from "./runs/run-responses.ts";
import { Runs } from "./runs/runs.ts";
import type { Webhooks } from "./runs/webhooks.ts";
import { Items } from "./store/items.ts";
import { System } from "./system/system.ts";
import { StateUpdates } from "./threads/state-updates.ts";
import type { ThreadExpiry } from "./threads/thread-expiry.ts";
import { ThreadRecords } from "./threads/thread-records.ts";
import { ThreadStates } from "./threads/thread-states.ts";
import { Threads } from "./threads/threads.ts";

/** The user who sends a request, with the access filters of the auth handlers. */
export interface Caller {
  user: AuthUser;
  filters: AccessFilters;
}

/** The services that route handlers use. They reach only the resources that the caller may see. */
export interface AgentServices {
  readonly assistants: Assistants;
  readonly threads: Threads;
  readonly threadStates: ThreadStates;
  readonly stateUpdates: StateUpdates;
  readonly runs: Runs;
  readonly runResponses: RunResponses;
  readonly eventStreaming: EventStreaming;
  readonly crons: Crons;
  readonly items: Items;
  readonly system: System;
}

/** What the services of all callers share. It lives as long as the agent server and holds no stored state. */
export interface SharedParts extends Pick<AgentRuntime, "clock" | "ids" | "inBackground"> {
  settings: AgentSettings;
  project: CurrentProject;
  /** The deployment, as `/info` shows it. */
  identity: () => Fields;
  graphs: Graphs;
  defaults: DefaultAssistants;
  locks: KeyedLocks;
  expiry: ThreadExpiry;
  cronTimer: CronTimer;
  webhooks: Webhooks;
  live: LiveRuns;
}

/** The services over `state`, which holds what the caller may see. Cheap enough to create for each request. */
export function createServices(shared: SharedParts, state: AgentState, caller: Caller | null): AgentServices {
  const { clock, ids, inBackground, settings, identity, project } = shared;
  const { graphs, defaults, locks, expiry, cronTimer, webhooks, live } = shared;
  const user = caller?.user ?? null;
  const copiedMetadata = caller?.filters.copiedMetadata ?? {};
  const common = { clock, ids, state, runs: live };
  const records = new ThreadRecords({ clock, threads: state.threads, expiry, project });
  const threadStates = new ThreadStates({ records, checkpoints: state.checkpoints, graphs, user });
  const stateUpdates = new StateUpdates({ ...common, records, states: threadStates, locks });
  const threads = new Threads({ ...common, records, updates: stateUpdates, states: threadStates, copiedMetadata });
  const assistants = new Assistants({ ...common, graphs, defaults, cronTimer, user });
  const threadFilters = caller?.filters.of("threads") ?? [];
  const runs = new Runs({
    ...common,
    inBackground,
    records,
    assistants,
    graphs,
    live,
    webhooks,
    project,
    locks,
    threadFilters,
    user,
  });
  const runResponses = new RunResponses({ inBackground, settings, runs, records, live });
  const eventStreaming = new EventStreaming({ settings, ids, records, states: threadStates, runs, live, locks });
  const crons = new Crons({ clock, ids, crons: state.crons, records, assistants, timer: cronTimer, user });
  const items = new Items({ clock, items: state.items, project });
  const system = new System({ queue: live.queue, identity, assistants, threads, runs, items });
  return { assistants, threads, threadStates, stateUpdates, runs, runResponses, eventStreaming, crons, items, system };
}
