import type { Database } from "../../kit/store/database.ts";
import type { AccessFilters } from "../auth/access-filters.ts";
import { AssistantTable } from "./assistant-table.ts";
import { CheckpointTable } from "./checkpoint-table.ts";
import { CronTable } from "./cron-table.ts";
import { ItemTable } from "./item-table.ts";
import { RunTable } from "./run-table.ts";
import { ThreadTable } from "./thread-table.ts";
import { WebhookTable } from "./webhook-table.ts";

/** All that one agent server remembers, or what of it a request may see. */
export class AgentState {
  readonly assistants: AssistantTable;
  readonly threads: ThreadTable;
  readonly checkpoints: CheckpointTable;
  readonly runs: RunTable;
  readonly items: ItemTable;
  readonly crons: CronTable;
  readonly webhooks: WebhookTable;
  readonly #database: Database;
  readonly #agent: number;
  readonly #now: () => number;

  private constructor(database: Database, agent: number, now: () => number, access?: AccessFilters) {
    this.#database = database;
    this.#agent = agent;
    this.#now = now;
    this.assistants = new AssistantTable(database, agent, access?.of("assistants"));
    this.threads = new ThreadTable(database, agent, access?.of("threads"));
    this.checkpoints = new CheckpointTable(database, agent);
    this.runs = new RunTable(database, agent, access?.isLimited("threads") ? this.threads : undefined);
    this.items = new ItemTable(database, agent, now, access?.of("store"));
    this.crons = new CronTable(database, agent, access?.of("crons"));
    this.webhooks = new WebhookTable(database, agent);
  }

  /** What the agent server of a deployment remembers, in a database that has the tables of `agentSchema`. `now` is in milliseconds since the epoch. */
  static open(database: Database, agentId: string, now: () => number): AgentState {
    database.run("INSERT INTO agents (agent_id) VALUES (?) ON CONFLICT DO NOTHING", agentId);
    const { agent } = database.get<{ agent: number }>("SELECT agent FROM agents WHERE agent_id = ?", agentId) as {
      agent: number;
    };
    return new AgentState(database, agent, now);
  }

  /** The same, of which only what the filters leave is there. What they hide can't be changed or taken the place of. */
  visibleTo(access: AccessFilters): AgentState {
    return new AgentState(this.#database, this.#agent, this.#now, access);
  }

  /** Keeps all that `work` writes or, when it throws, none of it. `work` must not wait. */
  transaction<Result>(work: () => Result): Result {
    return this.#database.transaction(work);
  }
}

/** Removes all that the agent server of a deployment remembers, or that all of them do. One that still runs keeps nothing from then on. */
export function removeAgents(database: Database, agentId?: string): void {
  if (agentId === undefined) database.run("DELETE FROM agents");
  else database.run("DELETE FROM agents WHERE agent_id = ?", agentId);
}

/** The deployments whose agent servers have something to do that no request asks for: runs, schedules, webhooks. */
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
