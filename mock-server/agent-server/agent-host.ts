import { Alarms } from "../kit/alarms.ts";
import type { Clock } from "../kit/clock.ts";
import { defaultLimits, type EventLogLimits } from "../kit/event-log.ts";
import type { IdSource } from "../kit/ids.ts";
import { KeyedLocks } from "../kit/keyed-locks.ts";
import type { Outbound } from "../kit/outbound.ts";
import { timestamp } from "../kit/timestamp.ts";
import type { AgentLogLevel } from "./agent-log.ts";
import { makeDefaultAssistants } from "./assistants/assistant-model.ts";
import type { AuthUser } from "./auth/auth-handlers.ts";
import { CronService } from "./crons/cron-service.ts";
import type { Fields, Graph } from "./engine/contract.ts";
import type { AgentState } from "./persistence/agent-state.ts";
import { RunService } from "./runs/run-service.ts";
import { ThreadExpiry } from "./threads/thread-expiry.ts";

/** How an agent server behaves. */
export interface AgentSettings {
  /** Runs under way at once. @default 64 */
  workers: number;
  /** Between signs of life on a stream on which nothing happens. @default 5000 */
  heartbeatMs: number;
  /** Of a request. @default 16 MiB */
  bodyLimitBytes: number;
  streamLimits: EventLogLimits;
}

export const defaultSettings: AgentSettings = {
  workers: 64,
  heartbeatMs: 5000,
  bodyLimitBytes: 16 * 1024 * 1024,
  streamLimits: defaultLimits,
};

/** Who sends a request. */
export interface Caller {
  user: AuthUser;
  /** What the auth handlers have added to the metadata of threads that are copied. */
  copiedMetadata: Fields;
}

/** What the parts of one agent server share. */
export interface AgentHost {
  readonly settings: AgentSettings;
  readonly state: AgentState;
  readonly graphs: ReadonlyMap<string, Graph>;
  readonly clock: Clock;
  readonly alarms: Alarms;
  readonly ids: IdSource;
  readonly locks: KeyedLocks;
  readonly outbound: Outbound;
  readonly runs: RunService;
  readonly crons: CronService;
  readonly expiry: ThreadExpiry;
  /** Who is served, where auth handlers say so; what is not for them isn't in `state` then. */
  readonly caller: Caller | null;
  /** Which deployment it serves. */
  identity(): Fields;
  /** Now, in ISO 8601. */
  timestamp(): string;
  /** Does what nobody waits for; a failure is a defect, unless it is the caller's mistake. */
  inBackground(task: () => Promise<void>): void;
  onDefect(error: unknown): void;
  /** Says something in the log of the deployment. */
  log(level: AgentLogLevel, message: string): void;
}

/** What an agent server is made of. */
export interface AgentHostOptions {
  state: AgentState;
  graphs: readonly Graph[];
  clock: Clock;
  ids: IdSource;
  outbound: Outbound;
  settings: AgentSettings;
  identity: () => Fields;
  onDefect: (error: unknown) => void;
  onLog: (level: AgentLogLevel, message: string) => void;
}

/** An agent server that can be given other graphs, as a new revision has them. */
export interface ChangingAgentHost extends AgentHost, Disposable {
  /** Runs that are under way go on with the graphs that they were started with. */
  useGraphs(graphs: readonly Graph[]): void;
}

/** An agent server that continues with its state, which has the default assistants of its graphs from then on. */
export async function createAgentHost(options: AgentHostOptions): Promise<ChangingAgentHost> {
  const { state, graphs, clock, ids, outbound, settings, identity, onLog } = options;
  const alarms = new Alarms(clock);
  let isClosed = false;
  // What fails because the server has closed is no defect.
  const onDefect = (error: unknown) => {
    if (!isClosed) options.onDefect(error);
  };
  const base: Omit<AgentHost, "runs" | "crons" | "expiry"> = {
    settings,
    state,
    graphs: byId(graphs),
    clock,
    alarms,
    ids,
    locks: new KeyedLocks(),
    outbound,
    caller: null,
    identity,
    timestamp: () => timestamp(clock.now()),
    inBackground: (task: () => Promise<void>) => void task().catch(onDefect),
    onDefect,
    log: onLog,
  };
  // The services and the host that they belong to know each other.
  const host = base as AgentHost;
  const runs = new RunService(host, settings.workers);
  const crons = new CronService(host);
  const expiry = new ThreadExpiry(host);
  Object.assign(host, { runs, crons, expiry });
  makeDefaultAssistants(host);
  await runs.restore();
  await expiry.restore();
  crons.restore();
  return Object.assign(host, {
    useGraphs(graphs: readonly Graph[]) {
      Object.assign(host, { graphs: byId(graphs) });
      makeDefaultAssistants(host);
    },
    [Symbol.dispose]() {
      isClosed = true;
      runs.close();
      alarms[Symbol.dispose]();
    },
  });
}

function byId(graphs: readonly Graph[]): ReadonlyMap<string, Graph> {
  return new Map(graphs.map((graph) => [graph.id, graph]));
}
