import type { AgentLogLevel } from "../kit/agent-log.ts";
import type { Alarms } from "../kit/alarms.ts";
import type { Clock } from "../kit/clock.ts";
import { defaultLimits, type EventLogLimits } from "../kit/event-log.ts";
import type { IdSource } from "../kit/ids.ts";

/** Settings of an agent server. */
export interface AgentSettings {
  /** Maximum number of concurrent runs. @default 64 */
  workers: number;
  /** Milliseconds between heartbeats on an idle stream. @default 5000 */
  heartbeatMs: number;
  /** Maximum size of a request body, in bytes. @default 16 MiB */
  bodyLimitBytes: number;
  streamLimits: EventLogLimits;
}

export const defaultSettings: AgentSettings = {
  workers: 64,
  heartbeatMs: 5000,
  bodyLimitBytes: 16 * 1024 * 1024,
  streamLimits: defaultLimits,
};

/** What the process provides to the services of an agent server; each service picks the members it uses. */
export interface AgentRuntime {
  readonly clock: Clock;
  readonly alarms: Alarms;
  readonly ids: IdSource;
  /** Runs a task that nothing awaits; reports a rejection as a defect. */
  inBackground(task: () => Promise<unknown>): void;
  onDefect(error: unknown): void;
  /** Writes to the deployment's log. */
  log(level: AgentLogLevel, message: string): void;
}
