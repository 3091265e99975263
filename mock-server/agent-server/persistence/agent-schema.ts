import { contains, passesFilter } from "../../kit/metadata-filter.ts";
import type { Schema } from "../../kit/store/database.ts";
import type { Fields } from "../engine/contract.ts";

/**
 * The tables of all agent servers. Each row belongs to one agent server and is deleted with it, and so are the rows of
 * a thread. `sequence` is the order of creation. JSON is stored as text; the large fields of threads have a table of
 * their own, so that searches read little.
 */
const tables = `
  CREATE TABLE agents (agent INTEGER PRIMARY KEY AUTOINCREMENT, agent_id TEXT NOT NULL UNIQUE) STRICT;

  CREATE TABLE assistants (
    sequence INTEGER PRIMARY KEY,
    agent INTEGER NOT NULL REFERENCES agents ON DELETE CASCADE,
    assistant_id TEXT NOT NULL,
    version INTEGER NOT NULL,
    graph_id TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    name TEXT NOT NULL,
    lower_name TEXT NOT NULL,
    description TEXT,
    metadata TEXT NOT NULL,
    config TEXT NOT NULL,
    context TEXT NOT NULL,
    UNIQUE (agent, assistant_id)
  ) STRICT;
  CREATE TABLE assistant_versions (
    agent INTEGER NOT NULL,
    assistant_id TEXT NOT NULL,
    version INTEGER NOT NULL,
    graph_id TEXT NOT NULL,
    created_at TEXT NOT NULL,
    name TEXT NOT NULL,
    description TEXT,
    metadata TEXT NOT NULL,
    config TEXT NOT NULL,
    context TEXT NOT NULL,
    UNIQUE (agent, assistant_id, version),
    FOREIGN KEY (agent, assistant_id) REFERENCES assistants (agent, assistant_id) ON DELETE CASCADE
  ) STRICT;

  CREATE TABLE threads (
    sequence INTEGER PRIMARY KEY,
    agent INTEGER NOT NULL REFERENCES agents ON DELETE CASCADE,
    thread_id TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    state_updated_at TEXT NOT NULL,
    status TEXT NOT NULL,
    expires_at INTEGER,
    ttl TEXT,
    metadata TEXT NOT NULL,
    UNIQUE (agent, thread_id)
  ) STRICT;
  CREATE INDEX threads_by_created_at ON threads (agent, created_at);
  CREATE INDEX threads_by_updated_at ON threads (agent, updated_at);
  CREATE INDEX threads_by_state_updated_at ON threads (agent, state_updated_at);
  CREATE INDEX threads_by_status ON threads (agent, status);
  CREATE INDEX threads_by_expires_at ON threads (agent, expires_at) WHERE expires_at IS NOT NULL;

  CREATE TABLE thread_states (
    thread INTEGER PRIMARY KEY REFERENCES threads ON DELETE CASCADE,
    error TEXT,
    config TEXT NOT NULL,
    interrupts TEXT NOT NULL,
    "values" TEXT
  ) STRICT;

  -- The short fields of threads' metadata and values, as JSON: most searches use only these.
  CREATE TABLE thread_fields (
    agent INTEGER NOT NULL,
    source TEXT NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    thread INTEGER NOT NULL REFERENCES threads ON DELETE CASCADE,
    PRIMARY KEY (agent, source, name, value, thread)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX fields_of_thread ON thread_fields (thread, source);

  CREATE TABLE checkpoints (
    agent INTEGER NOT NULL,
    thread_id TEXT NOT NULL,
    namespace TEXT NOT NULL,
    checkpoint_id TEXT NOT NULL,
    engine TEXT NOT NULL,
    parent_id TEXT,
    run_id TEXT,
    created_at TEXT NOT NULL,
    metadata TEXT NOT NULL,
    content BLOB NOT NULL,
    UNIQUE (agent, thread_id, namespace, checkpoint_id),
    FOREIGN KEY (agent, thread_id) REFERENCES threads (agent, thread_id) ON DELETE CASCADE
  ) STRICT;
  CREATE TABLE writes (
    sequence INTEGER PRIMARY KEY,
    agent INTEGER NOT NULL,
    thread_id TEXT NOT NULL,
    namespace TEXT NOT NULL,
    checkpoint_id TEXT NOT NULL,
    task_id TEXT NOT NULL,
    task_path TEXT NOT NULL,
    position INTEGER NOT NULL,
    channel TEXT NOT NULL,
    run_id TEXT,
    content BLOB NOT NULL,
    FOREIGN KEY (agent, thread_id) REFERENCES threads (agent, thread_id) ON DELETE CASCADE
  ) STRICT;
  CREATE INDEX writes_of_checkpoint ON writes (agent, thread_id, namespace, checkpoint_id, task_id, position);

  CREATE TABLE runs (
    sequence INTEGER PRIMARY KEY,
    agent INTEGER NOT NULL,
    run_id TEXT NOT NULL,
    thread_id TEXT NOT NULL,
    assistant_id TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    status TEXT NOT NULL,
    multitask_strategy TEXT NOT NULL,
    -- Characters of the events that are kept of a run that has ended.
    events_size INTEGER NOT NULL DEFAULT 0,
    user TEXT,
    metadata TEXT NOT NULL,
    kwargs TEXT NOT NULL,
    -- What it was started with, until it has ended.
    start TEXT,
    UNIQUE (agent, run_id),
    FOREIGN KEY (agent, thread_id) REFERENCES threads (agent, thread_id) ON DELETE CASCADE
  ) STRICT;
  CREATE INDEX runs_of_thread ON runs (agent, thread_id);
  CREATE INDEX runs_under_way ON runs (agent) WHERE status IN ('pending', 'running');
  CREATE INDEX runs_with_events ON runs (agent) WHERE events_size > 0;
  CREATE TABLE run_events (
    agent INTEGER NOT NULL,
    run_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    mode TEXT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (agent, run_id, number),
    FOREIGN KEY (agent, run_id) REFERENCES runs (agent, run_id) ON DELETE CASCADE
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE webhooks (
    webhook INTEGER PRIMARY KEY AUTOINCREMENT,
    agent INTEGER NOT NULL REFERENCES agents ON DELETE CASCADE,
    url TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    body TEXT NOT NULL
  ) STRICT;
  CREATE INDEX webhooks_of_agent ON webhooks (agent);

  CREATE TABLE items (
    sequence INTEGER PRIMARY KEY,
    agent INTEGER NOT NULL REFERENCES agents ON DELETE CASCADE,
    namespace TEXT NOT NULL,
    key TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    ttl REAL,
    expires_at INTEGER,
    value TEXT NOT NULL,
    UNIQUE (agent, namespace, key)
  ) STRICT;
  CREATE INDEX items_by_updated_at ON items (agent, updated_at);
  CREATE INDEX items_by_expires_at ON items (agent, expires_at) WHERE expires_at IS NOT NULL;

  CREATE TABLE crons (
    sequence INTEGER PRIMARY KEY,
    agent INTEGER NOT NULL REFERENCES agents ON DELETE CASCADE,
    cron_id TEXT NOT NULL,
    assistant_id TEXT NOT NULL,
    thread_id TEXT,
    on_run_completed TEXT,
    end_time TEXT,
    schedule TEXT NOT NULL,
    timezone TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    user_id TEXT,
    next_run_date TEXT,
    enabled INTEGER NOT NULL,
    user TEXT,
    metadata TEXT NOT NULL,
    payload TEXT NOT NULL,
    UNIQUE (agent, cron_id)
  ) STRICT;
`;

/** The events of threads, and how many there were, which outlives those that are dropped. */
const threadEvents = `
  CREATE TABLE thread_event_logs (
    sequence INTEGER PRIMARY KEY,
    agent INTEGER NOT NULL,
    thread_id TEXT NOT NULL,
    last_number INTEGER NOT NULL,
    -- Characters of the events that are kept.
    size INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (agent, thread_id),
    FOREIGN KEY (agent, thread_id) REFERENCES threads (agent, thread_id) ON DELETE CASCADE
  ) STRICT;
  CREATE TABLE thread_events (
    agent INTEGER NOT NULL,
    thread_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    mode TEXT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (agent, thread_id, number),
    FOREIGN KEY (agent, thread_id) REFERENCES thread_event_logs (agent, thread_id) ON DELETE CASCADE
  ) STRICT, WITHOUT ROWID;
`;

/** Push notifications of A2A: where to send them, and webhooks with headers of their own. `task` is the first run. */
const pushNotifications = `
  ALTER TABLE webhooks ADD COLUMN headers TEXT NOT NULL DEFAULT '{}';
  CREATE TABLE push_configs (
    sequence INTEGER PRIMARY KEY,
    agent INTEGER NOT NULL,
    task TEXT NOT NULL,
    config_id TEXT NOT NULL,
    version TEXT NOT NULL,
    config TEXT NOT NULL,
    UNIQUE (agent, task, config_id),
    FOREIGN KEY (agent, task) REFERENCES runs (agent, run_id) ON DELETE CASCADE
  ) STRICT;
`;

/** A JSON parser that caches the last text, which repeats row after row. */
function cachedParse(): (text: string) => Fields {
  let last: { text: string; value: Fields } | undefined;
  return (text) => {
    if (last?.text !== text) last = { text, value: JSON.parse(text) };
    return last.value;
  };
}

const wantedOf = cachedParse();
const filterOf = cachedParse();

/** The tables of agent servers, any number of which share a database. */
export const agentSchema: Schema = {
  name: "agent servers",
  migrations: [tables, threadEvents, pushNotifications],
  functions: {
    json_has: (text, wanted) => Number(contains(JSON.parse(String(text)), wantedOf(String(wanted)))),
    passes_filter: (text, filter) => Number(passesFilter(filterOf(String(filter)), JSON.parse(String(text)))),
  },
};
