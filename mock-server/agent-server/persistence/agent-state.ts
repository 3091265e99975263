import type { Database } from "../../kit/store/database.ts";
import type { AccessFilters } from "../auth/access-filters.ts";
import { AssistantTable } from "./assistant-table.ts";
import { CheckpointTable } from "./checkpoint-table.ts";
import { CronTable } from "./cron-table.ts";
import { ItemTable } from "./item-table.ts";
import { PushConfigTable } from "./push-config-table.ts";
import { RunTable } from "./run-table.ts";
import { ThreadEventTable } from "./thread-event-table.ts";
import { ThreadTable } from "./thread-table.ts";
import { WebhookTable } from "./webhook-table.ts";

/** The stored state of one agent server, or the part of it that a request may see. */
export class AgentState {
  readonly assistants: AssistantTable;
  readonly threads: ThreadTable;
  readonly threadEvents: ThreadEventTable;
  readonly checkpoints: CheckpointTable;
  readonly runs: RunTable;
  readonly items: ItemTable;
  readonly crons: CronTable;
  readonly webhooks: WebhookTable;
  readonly pushConfigs: PushConfigTable;
  readonly #database: Database;
  readonly #agent: number;
  readonly #now: () => number;

  private constructor(database: Database, agent: number, now: () => number, access?: AccessFilters) {
    this.#database = database;
    this.#agent = agent;
    this.#now = now;
    this.assistants = new AssistantTable(database, agent, access?.of("assistants"));
    this.threads = new ThreadTable(database, agent, access?.of("threads"));
    this.threadEvents = new ThreadEventTable(database, agent, now);
    this.checkpoints = new CheckpointTable(database, agent);
    this.runs = new RunTable(database, agent, access?.isLimited("threads") ? this.threads : undefined);
    this.items = new ItemTable(database, agent, now, access?.of("store"));
    this.crons = new CronTable(database, agent, access?.of("crons"));
    this.webhooks = new WebhookTable(database, agent);
    this.pushConfigs = new PushConfigTable(database, agent);
  }

  /**
   * The state of a deployment's agent server, in a database with the tables of `agentSchema`. `now` is in milliseconds
   * since the epoch.
   */
  static open(database: Database, agentId: string, now: () => number): AgentState {
    database.run("INSERT INTO agents (agent_id) VALUES (?) ON CONFLICT DO NOTHING", agentId);
    const { agent } = database.get<{ agent: number }>("SELECT agent FROM agents WHERE agent_id = ?", agentId) as {
      agent: number;
    };
    return new AgentState(database, agent, now);
  }

  /** The same state limited by access filters. Hidden records can't be read, changed or replaced. */
  visibleTo(access: AccessFilters): AgentState {
    return new AgentState(this.#database, this.#agent, this.#now, access);
  }

  /** Commits all that `work` writes or, when it throws, nothing. `work` must be synchronous. */
  transaction<Result>(work: () => Result): Result {
    return this.#database.transaction(work);
  }
}

/** Removes the state of one deployment's agent server, or of all. One that still runs stores nothing from then on. */
export function removeAgents(database: Database, agentId?: string): void {
  if (agentId === undefined) database.run("DELETE FROM agents");
  else database.run("DELETE FROM agents WHERE agent_id = ?", agentId);
}

/** Ids of the deployments with unfinished runs, schedules or webhooks. */
export function agentsWithWork(database: Database): string[] {
  return database
    .all<{ agent_id: string }>(
      `SELECT agent_id FROM agents WHERE
        EXISTS (SELECT 1 FROM runs WHERE runs.agent = agents.agent AND status IN ('pending', 'running'))
        OR EXISTS (SELECT 1 FROM crons WHERE crons.agent = agents.agent AND enabled = 1 AND next_run_date IS NOT NULL)
        OR EXISTS (SELECT 1 FROM webhooks WHERE webhooks.agent = agents.agent)
        OR EXISTS (SELECT 1 FROM threads WHERE threads.agent = agents.agent AND expires_at IS NOT NULL)`,
    )
    .map(({ agent_id: id }) => id);
}
