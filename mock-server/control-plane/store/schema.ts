import type { Schema } from "../../kit/store/database.ts";

/**
 * The tables of the control planes. Times are in milliseconds since the epoch. Fields that are never searched are JSON,
 * with generated columns for filters. `position` and `sequence` increase with every record.
 */
const tables = `
  CREATE TABLE deployments (
    id TEXT PRIMARY KEY,
    sequence INTEGER NOT NULL,
    edition TEXT NOT NULL,
    tenant_id TEXT NOT NULL,
    name TEXT NOT NULL,
    display_name TEXT,
    source TEXT NOT NULL,
    source_config TEXT NOT NULL,
    revision_config TEXT NOT NULL,
    secrets TEXT NOT NULL,
    secret_references TEXT,
    created_at REAL NOT NULL,
    updated_at REAL NOT NULL,
    latest_revision_id TEXT NOT NULL,
    ready_at REAL,
    deletion TEXT,
    image_version TEXT,
    pushed_repository TEXT,
    pushed_ref TEXT,
    status TEXT NOT NULL DEFAULT '',
    status_due_at REAL NOT NULL,
    deployment_type TEXT AS (source_config ->> 'deployment_type'),
    listener_id TEXT AS (lower(source_config ->> 'listener_id')),
    is_remote_reconciled INTEGER AS (source = 'external_docker' AND source_config ->> 'listener_id' IS NOT NULL)
  ) STRICT;
  CREATE INDEX deployments_by_age ON deployments (
    edition, tenant_id, sequence, status, name, id, deployment_type, image_version, listener_id, is_remote_reconciled
  );
  CREATE INDEX deployments_by_name ON deployments (edition, tenant_id, name, sequence);
  CREATE INDEX deployments_by_due_status ON deployments (status_due_at);
  CREATE INDEX deployments_by_push ON deployments (pushed_repository, pushed_ref) WHERE pushed_repository IS NOT NULL;

  CREATE TABLE deployment_tags (
    deployment_id TEXT NOT NULL REFERENCES deployments (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    tag_value_id TEXT NOT NULL,
    PRIMARY KEY (deployment_id, position)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX deployment_tags_by_value ON deployment_tags (tag_value_id, deployment_id);

  CREATE TABLE activations (
    deployment_id TEXT NOT NULL REFERENCES deployments (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    revision_id TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    at REAL NOT NULL,
    PRIMARY KEY (deployment_id, position)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE revisions (
    id TEXT PRIMARY KEY,
    sequence INTEGER NOT NULL,
    deployment_id TEXT NOT NULL REFERENCES deployments (id) ON DELETE CASCADE,
    source TEXT NOT NULL,
    config TEXT NOT NULL,
    created_at REAL NOT NULL,
    phases TEXT NOT NULL,
    moves INTEGER NOT NULL,
    stick TEXT,
    active_delay REAL,
    build_lines TEXT,
    failure_lines TEXT NOT NULL
  ) STRICT;
  CREATE INDEX revisions_by_age ON revisions (deployment_id, sequence);

  CREATE TABLE transitions (
    revision_id TEXT NOT NULL REFERENCES revisions (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    status TEXT NOT NULL,
    at REAL NOT NULL,
    PRIMARY KEY (revision_id, position)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE commits (
    position INTEGER PRIMARY KEY,
    repository TEXT NOT NULL,
    ref TEXT NOT NULL,
    hash TEXT NOT NULL,
    UNIQUE (repository, ref)
  ) STRICT;

  CREATE TABLE uploads (
    position INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    deployment_id TEXT NOT NULL REFERENCES deployments (id) ON DELETE CASCADE,
    uploaded_at REAL NOT NULL,
    file TEXT,
    data BLOB
  ) STRICT;
  CREATE INDEX uploads_by_deployment ON uploads (deployment_id);

  CREATE TABLE integrations (
    position INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    tenant_id TEXT,
    name TEXT NOT NULL,
    installation_id INTEGER NOT NULL,
    accepts_any_repository INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX integrations_by_workspace ON integrations (tenant_id);

  CREATE TABLE repositories (
    integration_id TEXT NOT NULL REFERENCES integrations (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    id INTEGER NOT NULL,
    url TEXT NOT NULL,
    default_branch TEXT NOT NULL,
    PRIMARY KEY (integration_id, position)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE listeners (
    position INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    tenant_id TEXT NOT NULL,
    version TEXT,
    compute_type TEXT NOT NULL,
    compute_id TEXT NOT NULL,
    namespaces TEXT,
    created_at REAL NOT NULL,
    updated_at REAL NOT NULL
  ) STRICT;
  CREATE INDEX listeners_by_workspace ON listeners (tenant_id);
  CREATE INDEX listeners_by_compute_id ON listeners (tenant_id, compute_id);

  CREATE TABLE oauth_providers (
    position INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    edition TEXT NOT NULL,
    tenant_id TEXT NOT NULL,
    provider_id TEXT NOT NULL,
    name TEXT NOT NULL,
    client_id TEXT NOT NULL,
    client_secret TEXT,
    auth_url TEXT NOT NULL,
    token_url TEXT NOT NULL,
    uses_pkce INTEGER NOT NULL,
    code_challenge_method TEXT,
    provider_type TEXT,
    token_endpoint_auth_method TEXT NOT NULL,
    mcp_server_url TEXT,
    revocation_url TEXT,
    is_dynamic_client INTEGER NOT NULL,
    created_at REAL NOT NULL,
    updated_at REAL NOT NULL
  ) STRICT;
  CREATE INDEX oauth_providers_by_workspace ON oauth_providers (edition, tenant_id);
  CREATE INDEX oauth_providers_by_name ON oauth_providers (edition, tenant_id, provider_id);

  CREATE TABLE oauth_tokens (
    position INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    edition TEXT NOT NULL,
    tenant_id TEXT NOT NULL,
    provider_record_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    created_by TEXT NOT NULL,
    account_label TEXT,
    scopes TEXT NOT NULL,
    access_token TEXT NOT NULL,
    refresh_token TEXT,
    expires_at REAL,
    is_default INTEGER NOT NULL,
    created_at REAL NOT NULL,
    updated_at REAL NOT NULL
  ) STRICT;
  CREATE INDEX oauth_tokens_by_provider ON oauth_tokens (provider_record_id);
  CREATE INDEX oauth_tokens_by_user ON oauth_tokens (user_id, provider_record_id);
  CREATE INDEX oauth_tokens_by_caller ON oauth_tokens (created_by, provider_record_id);

  CREATE TABLE auth_sessions (
    position INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    edition TEXT NOT NULL,
    tenant_id TEXT NOT NULL,
    provider_record_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    created_by TEXT NOT NULL,
    agent_id TEXT,
    scopes TEXT NOT NULL,
    is_default INTEGER NOT NULL,
    code_verifier TEXT,
    redirect_uri TEXT NOT NULL,
    expires_at REAL NOT NULL,
    status TEXT NOT NULL,
    token_id TEXT
  ) STRICT;

  CREATE TABLE agent_connections (
    position INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    edition TEXT NOT NULL,
    tenant_id TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    token_id TEXT NOT NULL,
    created_by TEXT NOT NULL,
    created_at REAL NOT NULL
  ) STRICT;
  CREATE INDEX agent_connections_by_agent ON agent_connections (agent_id);
  CREATE INDEX agent_connections_by_token ON agent_connections (token_id);

  CREATE TABLE oauth_clients (
    position INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    secret TEXT,
    name TEXT NOT NULL,
    redirect_uris TEXT NOT NULL
  ) STRICT;

  CREATE TABLE oauth_codes (
    position INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    client_id TEXT NOT NULL,
    redirect_uri TEXT NOT NULL,
    code_challenge TEXT,
    scope TEXT NOT NULL,
    subject TEXT NOT NULL,
    expires_at REAL NOT NULL,
    grant_id TEXT
  ) STRICT;

  CREATE TABLE oauth_grants (
    position INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    client_id TEXT NOT NULL,
    scope TEXT NOT NULL,
    subject TEXT NOT NULL,
    access_token TEXT NOT NULL,
    access_expires_at REAL NOT NULL,
    refresh_token TEXT NOT NULL,
    is_revoked INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX oauth_grants_by_access_token ON oauth_grants (access_token);
  CREATE INDEX oauth_grants_by_refresh_token ON oauth_grants (refresh_token);

  CREATE TABLE spent_refresh_tokens (
    grant_id TEXT NOT NULL REFERENCES oauth_grants (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    token TEXT NOT NULL,
    PRIMARY KEY (grant_id, position)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX spent_refresh_tokens_by_token ON spent_refresh_tokens (token);
`;

/** Migration: timelines, which are always read and written whole, become columns. */
const timelinesAsColumns = `
  ALTER TABLE deployments ADD COLUMN activations TEXT NOT NULL DEFAULT '[]';
  UPDATE deployments SET activations = (
    SELECT json_group_array(json_object('revisionId', revision_id, 'sequence', sequence, 'at', at))
    FROM (SELECT * FROM activations WHERE deployment_id = id ORDER BY position)
  );
  DROP TABLE activations;
  ALTER TABLE revisions ADD COLUMN transitions TEXT NOT NULL DEFAULT '[]';
  UPDATE revisions SET transitions = (
    SELECT json_group_array(json_object('status', status, 'at', at))
    FROM (SELECT * FROM transitions WHERE revision_id = id ORDER BY position)
  );
  DROP TABLE transitions;
`;

export const controlPlaneSchema: Schema = { name: "control plane", migrations: [tables, timelinesAsColumns] };
