import type { TaskPushNotificationConfig } from "@a2a-js/sdk";
import { hasFields, isText, readJson } from "../../kit/store/damaged-record.ts";
import type { Database } from "../../kit/store/database.ts";

/** A version of A2A that the server speaks. */
export type A2aVersion = "0.3" | "1.0";

/** Where to send notifications about a task, and in the form of which version. */
export interface PushConfigRecord {
  version: A2aVersion;
  config: TaskPushNotificationConfig;
}

const isConfig = hasFields({ id: isText, taskId: isText, url: isText });

/** The push notification configurations of an agent server's tasks. They are deleted with the task's first run. */
export class PushConfigTable {
  readonly #database: Database;
  readonly #agent: number;

  constructor(database: Database, agent: number) {
    this.#database = database;
    this.#agent = agent;
  }

  isEmpty(): boolean {
    return !this.#database.get("SELECT 1 FROM push_configs WHERE agent = ? LIMIT 1", this.#agent);
  }

  /** Adds a configuration, or replaces the one with the same id. */
  put({ version, config }: PushConfigRecord): void {
    this.#database.run(
      `INSERT INTO push_configs (agent, task, config_id, version, config) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET version = excluded.version, config = excluded.config`,
      this.#agent,
      config.taskId,
      config.id,
      version,
      JSON.stringify(config),
    );
  }

  /** The configurations of a task, in order of creation. */
  of(task: string): PushConfigRecord[] {
    return this.#database
      .all<{ version: A2aVersion; config: string }>(
        "SELECT version, config FROM push_configs WHERE agent = ? AND task = ? ORDER BY sequence",
        this.#agent,
        task,
      )
      .map(({ version, config }) => {
        const place = () => ({ table: "push_configs", id: task, column: "config" });
        return { version, config: readJson(config, isConfig, place) as TaskPushNotificationConfig };
      });
  }

  remove(task: string, configId: string): void {
    this.#database.run(
      "DELETE FROM push_configs WHERE agent = ? AND task = ? AND config_id = ?",
      this.#agent,
      task,
      configId,
    );
  }
}
