import type { Database } from "../../kit/store/database.ts";

/** A webhook that has not been delivered yet. */
export interface WebhookRecord {
  webhook: number;
  url: string;
  body: string;
  /** A JSON object with headers beside the type of the body. */
  headers: string;
  /** Number of attempts so far. */
  attempts: number;
}

/** The undelivered webhooks of an agent server. */
export class WebhookTable {
  readonly #database: Database;
  readonly #agent: number;

  constructor(database: Database, agent: number) {
    this.#database = database;
    this.#agent = agent;
  }

  insert(url: string, body: string, headers: Record<string, string>): WebhookRecord {
    return this.#database.get<WebhookRecord>(
      "INSERT INTO webhooks (agent, url, body, headers) VALUES (?, ?, ?, ?) RETURNING webhook, url, body, headers, attempts",
      this.#agent,
      url,
      body,
      JSON.stringify(headers),
    ) as WebhookRecord;
  }

  all(): WebhookRecord[] {
    return this.#database.all<WebhookRecord>(
      "SELECT webhook, url, body, headers, attempts FROM webhooks WHERE agent = ? ORDER BY webhook",
      this.#agent,
    );
  }

  setAttempts(webhook: number, attempts: number): void {
    this.#database.run("UPDATE webhooks SET attempts = ? WHERE webhook = ?", attempts, webhook);
  }

  remove(webhook: number): void {
    this.#database.run("DELETE FROM webhooks WHERE webhook = ?", webhook);
  }
}
