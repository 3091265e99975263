import type { AgentLogLevel } from "../kit/agent-log.ts";
import type { Alarms } from "../kit/alarms.ts";
import type { Clock } from "../kit/clock.ts";
import { defaultLimits, type EventLogLimits } from "../kit/event-log.ts";
import type { IdSource } from "../kit/ids.ts";

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

/** What the services of one agent server have from its process; each names what it uses of it. */
export interface AgentRuntime {
  readonly clock: Clock;
  readonly alarms: Alarms;
  readonly ids: IdSource;
  /** Does what nobody waits for; a failure is a defect. */
  inBackground(task: () => Promise<unknown>): void;
  onDefect(error: unknown): void;
  /** Writes to the deployment's log. */
  log(level: AgentLogLevel, message: string): void;
}
