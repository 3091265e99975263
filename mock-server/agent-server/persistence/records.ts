import type { AuthUser } from "../auth/auth-user.ts";
import type { Fields, Interrupt, StoredCheckpoint } from "../engine/contract.ts";

// Times are ISO 8601 in UTC.

/** The content of a version of an assistant. */
export interface AssistantContent {
  graph_id: string;
  config: Fields;
  context: Fields;
  metadata: Fields;
  name: string;
  description: string | null;
}

export interface AssistantRecord extends AssistantContent {
  assistant_id: string;
  version: number;
  created_at: string;
  updated_at: string;
}

export interface AssistantVersionRecord extends AssistantContent {
  assistant_id: string;
  version: number;
  created_at: string;
}

export type ThreadStatus = "idle" | "busy" | "interrupted" | "error";

export interface ThreadTtl {
  strategy: "delete" | "keep_latest";
  /** Minutes since the last change after which the strategy is applied. */
  ttl_minutes: number;
  expires_at: string;
}

export interface ThreadRecord {
  thread_id: string;
  created_at: string;
  updated_at: string;
  state_updated_at: string;
  metadata: Fields;
  config: Fields;
  status: ThreadStatus;
  /** `null` before the first checkpoint. */
  values: Fields | null;
  /** By task id. */
  interrupts: Record<string, Interrupt[]>;
  error: RunError | null;
  ttl: ThreadTtl | null;
}

export interface RunError {
  error: string;
  message: string;
}

export type RunStatus = "pending" | "running" | "error" | "success" | "timeout" | "interrupted";
export type MultitaskStrategy = "reject" | "rollback" | "interrupt" | "enqueue";

export interface RunRecord {
  run_id: string;
  thread_id: string;
  assistant_id: string;
  created_at: string;
  updated_at: string;
  status: RunStatus;
  metadata: Fields;
  kwargs: Fields;
  multitask_strategy: MultitaskStrategy;
  /** The user of the run; `null` without auth handlers. */
  user: AuthUser | null;
}

/** A checkpoint without its content. */
export type CheckpointRecord = Omit<StoredCheckpoint, "content">;

export interface ItemRecord {
  namespace: string[];
  key: string;
  value: Fields;
  created_at: string;
  updated_at: string;
  /** Minutes since the last write or refreshing read; `null`: no expiry. */
  ttl: number | null;
  /** Milliseconds since the epoch. */
  expires_at: number | null;
}

export interface CronRecord {
  cron_id: string;
  assistant_id: string;
  thread_id: string | null;
  on_run_completed: "delete" | "keep" | null;
  end_time: string | null;
  schedule: string;
  timezone: string | null;
  created_at: string;
  updated_at: string;
  user_id: string | null;
  payload: Fields;
  next_run_date: string | null;
  metadata: Fields;
  enabled: boolean;
  /** The owner; `null` without auth handlers. */
  user: AuthUser | null;
}
