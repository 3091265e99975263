import { Alarms } from "../kit/alarms.ts";
import { KeyedLocks } from "../kit/keyed-locks.ts";
import type { Outbound } from "../kit/outbound.ts";
import { warnOnce } from "../kit/warnings.ts";
import { PushNotifications } from "./a2a/push-notifications.ts";
import type { AgentRuntime, AgentSettings } from "./agent-runtime.ts";
import { type AgentServices, type Caller, createServices, type SharedParts } from "./agent-services.ts";
import { DefaultAssistants } from "./assistants/default-assistants.ts";
import { Graphs } from "./assistants/graphs.ts";
import { AccessFilters } from "./auth/access-filters.ts";
import type { AccessLookUps } from "./auth/access-rule.ts";
import { CronTimer } from "./crons/cron-timer.ts";
import { runOf } from "./crons/crons.ts";
import type { Fields, Graph } from "./engine/contract.ts";
import { ToolCalls } from "./mcp/tool-calls.ts";
import type { AgentState } from "./persistence/agent-state.ts";
import type { CurrentProject } from "./project-settings.ts";
import { executeRun } from "./runs/execute-run.ts";
import { LiveRuns } from "./runs/live-runs.ts";
import { Webhooks } from "./runs/webhooks.ts";
import { Items } from "./store/items.ts";
import { ThreadExpiry } from "./threads/thread-expiry.ts";
import { ThreadRecords } from "./threads/thread-records.ts";
import { ThreadStates } from "./threads/thread-states.ts";

export interface AgentOptions extends Omit<AgentRuntime, "alarms" | "inBackground"> {
  /** All of the state of this agent server, and of no other. */
  state: AgentState;
  live: LiveProject;
  outbound: Outbound;
  settings: AgentSettings;
  /** The deployment that it serves, as `/info` shows it. */
  identity: () => Fields;
}

/** What an agent server takes from the project of the live revision. */
export interface LiveProject extends CurrentProject {
  graphs: readonly Graph[];
}

/** The agent server of one deployment. */
export interface Agent extends Pick<AgentRuntime, "onDefect" | "ids">, Pick<AgentSettings, "heartbeatMs">, Disposable {
  /** The services over what a caller may see; `null`, without auth handlers: over everything. */
  servicesFor(caller: Caller | null): AgentServices;
  readonly lookUps: AccessLookUps;
  readonly toolCalls: ToolCalls;
  readonly pushNotifications: PushNotifications;
  /**
   * Replaces the graphs and settings, as a new revision does. Runs in progress finish with the graphs they started with.
   */
  use(project: LiveProject): void;
  /** Logs a warning for the deployment, each message once. */
  warn(message: string): void;
}

/**
 * Starts an agent server that continues from its state: runs that wait, schedules, expiry and webhooks. Creates the
 * default assistants of its graphs.
 * @throws {StorageError} when the state can't be read or written; nothing runs then.
 */
export async function createAgent(options: AgentOptions): Promise<Agent> {
  const { state, clock, ids, log } = options;
  let isClosed = false;
  // Failures caused by closing the server aren't defects.
  const onDefect = (error: unknown) => {
    if (!isClosed) options.onDefect(error);
  };
  const inBackground = (task: () => Promise<unknown>) => void task().catch(onDefect);
  const alarms = new Alarms(clock);
  // One object for all services, whose content changes with the live revision.
  const project: CurrentProject = { settings: options.live.settings, app: options.live.app };
  const shared = createSharedParts(
    { clock, alarms, ids, inBackground, onDefect, log },
    { ...options, project },
    // Expiry and schedules act through services that are built from them.
    (caller) => servicesFor(caller),
  );
  const { graphs, defaults, webhooks, pushNotifications, live, expiry, cronTimer } = shared;
  const everything = createServices(shared, state, null);
  function servicesFor(caller: Caller | null): AgentServices {
    return caller ? createServices(shared, state.visibleTo(caller.filters), caller) : everything;
  }
  function use({ graphs: others, settings, app }: LiveProject): void {
    Object.assign(project, { settings, app });
    graphs.use(others);
    defaults.make();
  }
  function dispose(): void {
    isClosed = true;
    live.close();
    alarms[Symbol.dispose]();
  }

  try {
    use(options.live);
    webhooks.restore();
    await live.restore();
    await expiry.restore();
    cronTimer.restore();
  } catch (error) {
    // Whatever has started would otherwise run beside the next attempt.
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
    toolCalls: new ToolCalls(),
    pushNotifications,
    ids,
    heartbeatMs: options.settings.heartbeatMs,
    use,
    warn: warnOnce((message) => log("WARNING", message)),
    onDefect,
    [Symbol.dispose]: dispose,
  };
}

/** The parts that live as long as the agent server. They call `servicesFor` only once it has started. */
function createSharedParts(
  runtime: AgentRuntime,
  { state, outbound, settings, identity, project }: Omit<AgentOptions, "live"> & { project: CurrentProject },
  servicesFor: (caller: Caller | null) => AgentServices,
): SharedParts & { pushNotifications: PushNotifications } {
  const { clock } = runtime;
  const { threads, checkpoints, crons } = state;
  const graphs = new Graphs();
  const expiry = new ThreadExpiry({
    ...runtime,
    threads,
    project,
    expire: (thread) => servicesFor(null).threads.expire(thread),
  });
  const cronTimer = new CronTimer({
    ...runtime,
    crons,
    async startRun(cron, alongside) {
      const { runs } = servicesFor(cron.user && { user: cron.user, filters: new AccessFilters() });
      await runs.start(cron.thread_id ?? undefined, runOf(cron), { alongside });
    },
  });
  const webhooks = new Webhooks({ ...runtime, webhooks: state.webhooks, outbound, project });
  const pushNotifications = new PushNotifications({ ...runtime, state, webhooks, servicesFor });
  const records = new ThreadRecords({ clock, threads, expiry, project });
  const states = new ThreadStates({ records, checkpoints, graphs, user: null });
  const items = new Items({ clock, items: state.items, project });
  const live: LiveRuns = new LiveRuns({
    ...runtime,
    settings,
    state,
    records,
    states,
    cronTimer,
    webhooks,
    project,
    onEnd: (runId) => pushNotifications.runEnded(runId),
    execute: (run, record) =>
      executeRun({ ...runtime, graphs, checkpoints, items, threadEvents: live.threadEvents }, run, record),
  });
  const defaults = new DefaultAssistants({ clock, assistants: state.assistants, graphs });
  const locks = new KeyedLocks();
  return {
    ...runtime,
    settings,
    project,
    identity,
    graphs,
    defaults,
    locks,
    expiry,
    cronTimer,
    webhooks,
    live,
    pushNotifications,
  };
}
