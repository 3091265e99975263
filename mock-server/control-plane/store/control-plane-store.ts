import { type Database, isConstraintViolation } from "../../kit/store/database.ts";
import { Table } from "../../kit/store/table.ts";
import {
  authSessionShape,
  connectionShape,
  Grants,
  oauthClientShape,
  oauthCodeShape,
  providerShape,
  Tokens,
} from "./auth-tables.ts";
import { Commits } from "./commits.ts";
import type { StoreContent } from "./content.ts";
import { Deployments } from "./deployments.ts";
import { Integrations, listenerShape } from "./integrations.ts";
import { Revisions } from "./revisions.ts";
import { Uploads } from "./uploads.ts";

/** All that a mock server remembers of its control planes. Nothing in it waits. */
export class ControlPlaneStore {
  readonly deployments: Deployments;
  readonly revisions: Revisions;
  readonly commits: Commits;
  readonly uploads: Uploads;
  readonly integrations: Integrations;
  readonly listeners;
  readonly providers;
  readonly tokens: Tokens;
  readonly authSessions;
  readonly connections;
  readonly oauthClients;
  readonly oauthCodes;
  readonly oauthGrants: Grants;
  readonly #database: Database;
  #sequence: number;

  /** `database` has the control plane's schema. Without a folder for uploads, the database holds them. */
  constructor(database: Database, uploadsFolder?: string) {
    this.#database = database;
    this.revisions = new Revisions(database);
    this.deployments = new Deployments(database, this.revisions);
    this.commits = new Commits(database);
    this.uploads = new Uploads(database, uploadsFolder);
    this.integrations = new Integrations(database);
    this.listeners = new Table(database, listenerShape);
    this.providers = new Table(database, providerShape);
    this.tokens = new Tokens(database);
    this.authSessions = new Table(database, authSessionShape);
    this.connections = new Table(database, connectionShape);
    this.oauthClients = new Table(database, oauthClientShape);
    this.oauthCodes = new Table(database, oauthCodeShape);
    this.oauthGrants = new Grants(database);
    this.#sequence = this.#highestSequence();
  }

  /** A number greater than any given out before. */
  nextSequence(): number {
    this.#sequence += 1;
    return this.#sequence;
  }

  /** Keeps all the changes that `work` makes or, when it throws, none of them. `work` must not wait. */
  transaction<Result>(work: () => Result): Result {
    return this.#database.transaction(work);
  }

  /** A copy of everything. */
  content(): StoreContent {
    const { deployments, revisions, commits } = this;
    const collections = Object.fromEntries(this.#collections().map(([name, table]) => [name, table.all()]));
    return {
      sequence: this.#sequence,
      deployments: deployments.all(),
      revisions: revisions.all(),
      commits: commits.all(),
      collections: { ...collections, uploads: this.uploads.all() } as unknown as StoreContent["collections"],
    };
  }

  /** Puts `content` in the place of everything. @throws {TypeError} for a record that can't be taken, by its name: then everything is as it was. */
  replace(content: StoreContent): void {
    this.transaction(() => {
      this.clear();
      for (const record of content.deployments) putNamed("deployments", this.deployments, record);
      for (const record of content.revisions) putNamed("revisions", this.revisions, record);
      for (const { repository, ref, commit } of content.commits) this.commits.set(repository, ref, commit);
      for (const [name, table] of this.#collections())
        for (const record of content.collections[name]) putNamed(name, table, record);
      for (const { data, ...record } of content.collections.uploads) {
        this.uploads.put(record, Buffer.from(data, "base64"));
      }
    });
    this.#sequence = Math.max(this.#sequence, content.sequence, this.#highestSequence());
  }

  clear(): void {
    this.transaction(() => {
      this.uploads.clear();
      this.deployments.clear();
      this.commits.clear();
      for (const [, table] of this.#collections()) table.clear();
    });
  }

  /** Whether there is anything that somebody has made. */
  get isEmpty(): boolean {
    return !this.deployments.hasAny({}) && !this.listeners.hasAny({});
  }

  /** The values that must not be shown: of environments, providers, tokens, clients, codes and grants. */
  secrets(): string[] {
    const rows = this.#database.all<{ value: string }>(`
      SELECT secret.value ->> 'value' AS value
        FROM deployments, json_each(deployments.secrets) AS secret WHERE secret.type = 'object'
      UNION SELECT client_secret FROM oauth_providers
      UNION SELECT access_token FROM oauth_tokens
      UNION SELECT refresh_token FROM oauth_tokens
      UNION SELECT secret FROM oauth_clients
      UNION SELECT id FROM oauth_codes
      UNION SELECT access_token FROM oauth_grants
      UNION SELECT refresh_token FROM oauth_grants`);
    return rows.flatMap(({ value }) => value ?? []);
  }

  /** The tables whose records snapshots have by these names. */
  #collections() {
    const { integrations, listeners, providers, tokens, authSessions, connections } = this;
    const { oauthClients, oauthCodes, oauthGrants } = this;
    const named = {
      integrations,
      listeners,
      providers,
      tokens,
      authSessions,
      connections,
      oauthClients,
      oauthCodes,
      oauthGrants,
    };
    return Object.entries(named) as unknown as [
      Exclude<keyof StoreContent["collections"], "uploads">,
      Table<{ id: string }>,
    ][];
  }

  #highestSequence(): number {
    const query = `SELECT max(sequence) AS highest FROM (
      SELECT max(sequence) AS sequence FROM deployments UNION ALL SELECT max(sequence) FROM revisions
    )`;
    return this.#database.get<{ highest: number | null }>(query)?.highest ?? 0;
  }
}

/** @throws {TypeError} naming a record of another shape, or one that its table doesn't allow */
function putNamed<Entry extends { id: string }>(name: string, table: Table<Entry>, record: Entry): void {
  try {
    table.put(record);
  } catch (error) {
    if (!(error instanceof TypeError) && !isConstraintViolation(error)) throw error;
    throw new TypeError(`${record.id} of ${name}: ${error.message}`);
  }
}
