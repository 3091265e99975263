import { Alarms } from "../kit/alarms.ts";
import { KeyedLocks } from "../kit/keyed-locks.ts";
import type { Outbound } from "../kit/outbound.ts";
import { warnOnce } from "../kit/warnings.ts";
import type { AgentRuntime, AgentSettings } from "./agent-runtime.ts";
import { type AgentServices, type Caller, createServices } from "./agent-services.ts";
import { DefaultAssistants } from "./assistants/default-assistants.ts";
import { Graphs } from "./assistants/graphs.ts";
import { AccessFilters } from "./auth/access-filters.ts";
import type { AccessLookUps } from "./auth/access-rule.ts";
import { CronTimer } from "./crons/cron-timer.ts";
import { runOf } from "./crons/crons.ts";
import type { Fields, Graph } from "./engine/contract.ts";
import type { AgentState } from "./persistence/agent-state.ts";
import { executeRun } from "./runs/execute-run.ts";
import { LiveRuns } from "./runs/live-runs.ts";
import { Webhooks } from "./runs/webhooks.ts";
import { Items } from "./store/items.ts";
import { ThreadExpiry } from "./threads/thread-expiry.ts";
import { ThreadRecords } from "./threads/thread-records.ts";
import { ThreadStates } from "./threads/thread-states.ts";

/** What an agent server is made of. */
export interface AgentOptions extends Omit<AgentRuntime, "alarms" | "inBackground"> {
  /** Its alone, and all of it. */
  state: AgentState;
  graphs: readonly Graph[];
  outbound: Outbound;
  settings: AgentSettings;
  /** Which deployment it serves. */
  identity: () => Fields;
}

/** The agent server of one deployment. */
export interface Agent extends Pick<AgentRuntime, "onDefect">, Disposable {
  /** The services over what a caller may see; without a caller, where no auth handlers limit anybody, over everything. */
  servicesFor(caller: Caller | null): AgentServices;
  readonly lookUps: AccessLookUps;
  /** Replaces the graphs, as a new revision does. Runs under way continue with those that they were started with. */
  useGraphs(graphs: readonly Graph[]): void;
  /** Writes a warning to the deployment's log, each once. */
  warn(message: string): void;
}

/** An agent server that continues with its state, which has the default assistants of its graphs from then on. */
export async function createAgent(options: AgentOptions): Promise<Agent> {
  const { state, outbound, settings, identity, clock, ids, log } = options;
  let isClosed = false;
  // What fails because the server has closed is no defect.
  const onDefect = (error: unknown) => {
    if (!isClosed) options.onDefect(error);
  };
  const inBackground = (task: () => Promise<unknown>) => void task().catch(onDefect);
  const alarms = new Alarms(clock);
  const runtime: AgentRuntime = { clock, alarms, ids, inBackground, onDefect, log };
  const graphs = new Graphs();
  const defaults = new DefaultAssistants({ clock, assistants: state.assistants, graphs });
  const { threads, checkpoints } = state;

  // Expiry and schedules act through services that are made of them.
  const expiry = new ThreadExpiry({ ...runtime, threads, expire: (thread) => everything.threads.expire(thread) });
  const cronTimer = new CronTimer({
    ...runtime,
    crons: state.crons,
    async startRun(cron, alongside) {
      const { runs } = cron.user ? servicesFor({ user: cron.user, filters: new AccessFilters() }) : everything;
      await runs.start(cron.thread_id ?? undefined, runOf(cron), { alongside });
    },
  });
  const webhooks = new Webhooks({ ...runtime, webhooks: state.webhooks, outbound });
  const records = new ThreadRecords({ clock, threads, expiry });
  const states = new ThreadStates({ records, checkpoints, graphs, user: null });
  const items = new Items({ clock, items: state.items });
  const live = new LiveRuns({
    ...runtime,
    settings,
    state,
    records,
    states,
    cronTimer,
    webhooks,
    execute: (run, record) => executeRun({ ...runtime, graphs, checkpoints, items }, run, record),
  });
  const shared = {
    ...runtime,
    settings,
    identity,
    graphs,
    defaults,
    locks: new KeyedLocks(),
    expiry,
    cronTimer,
    webhooks,
    live,
  };

  const everything = createServices(shared, state, null);
  function servicesFor(caller: Caller | null): AgentServices {
    return caller ? createServices(shared, state.visibleTo(caller.filters), caller) : everything;
  }
  function useGraphs(others: readonly Graph[]): void {
    graphs.use(others);
    defaults.make();
  }
  function dispose(): void {
    isClosed = true;
    live.close();
    alarms[Symbol.dispose]();
  }

  try {
    useGraphs(options.graphs);
    webhooks.restore();
    await live.restore();
    await expiry.restore();
    cronTimer.restore();
  } catch (error) {
    // What has begun by then would go on beside the next attempt.
    dispose();
    throw error;
  }
  return {
    servicesFor,
    lookUps: {
      assistantIdOf: (id) => graphs.assistantIdOf(id),
      isDefaultAssistant: (id) => graphs.hasDefault(id),
      threadIdOf: (runId) => (live.ended.get(runId) ?? state.runs.get(runId))?.thread_id ?? null,
    },
    useGraphs,
    warn: warnOnce((message) => log("WARNING", message)),
    onDefect,
    [Symbol.dispose]: dispose,
  };
}
