import type { AdminOptions } from "./admin/admin-routes.ts";
import { fixtureOf } from "./admin/journal-fixture.ts";
import { applySeed } from "./admin/seed.ts";
import { putSnapshot, takeSnapshot } from "./admin/snapshot.ts";
import type { Agents } from "./agents/agents.ts";
import type { ControlPlaneOptions } from "./control-plane/control-plane-options.ts";
import {
  ensureDefaultIntegration,
  type IntegrationSeed,
  seedIntegrations,
} from "./control-plane/integrations/integration-seed.ts";
import type { Services } from "./control-plane/services.ts";
import type { FaultTable } from "./faults/fault-table.ts";
import type { Journal, JournalFilter } from "./journal/journal.ts";
import { globMatcher } from "./kit/glob.ts";
import { badRequest } from "./kit/http/http-error.ts";
import type { MockServer, RequestsFilter } from "./mock-server.ts";
import { serverInfo } from "./server-info.ts";

/** What code that starts a mock server can do with it, but for what needs the socket. */
export type Controls = Omit<MockServer, "url" | "selfHostedUrl" | "isContinued" | "close" | typeof Symbol.asyncDispose>;

interface AdministrationOptions {
  controlPlaneOptions: ControlPlaneOptions;
  services: Services;
  agents: Agents;
  faults: FaultTable;
  journal: Journal;
  /** The configured integrations, which a reset restores. */
  integrations: readonly IntegrationSeed[];
  /** Whether the data outlives the process, so that discarding it needs a confirmation. */
  isPersistent: boolean;
  /** Whether builds may load code, which makes seeding asynchronous. */
  runsCode: boolean;
}

/** What the admin API and {@link createControls} administer; seeds the configured integrations. */
export function createAdministration(options: AdministrationOptions): AdminOptions {
  const { controlPlaneOptions, services, agents, faults, journal, integrations, isPersistent, runsCode } = options;
  const { store, clock, transitions, redaction, publicUrl, apiKeys } = controlPlaneOptions;
  const { defaultWorkspace } = apiKeys;
  const seedConfigured = () => {
    ensureDefaultIntegration(store.integrations);
    seedIntegrations(store.integrations, integrations);
  };
  const checkConfirmed = (isConfirmed: boolean) => {
    if (isConfirmed || !isPersistent) return;
    throw badRequest(
      "This discards what the data directory stores: confirm with ?confirm=true, or { confirm: true } in code.",
    );
  };
  seedConfigured();
  return {
    services,
    clock,
    transitions,
    faults,
    journal,
    publicUrl,
    info: () => serverInfo(controlPlaneOptions),
    seed: (seed) => applySeed({ services, store, defaultWorkspace, runsCode }, seed),
    takeSnapshot: (includeSecrets) => takeSnapshot({ store, faults, transitions, redaction }, includeSecrets),
    putSnapshot(snapshot, isConfirmed) {
      checkConfirmed(isConfirmed);
      store.transaction(() => {
        putSnapshot({ store, faults, transitions, redaction }, snapshot);
        agents.end();
      });
    },
    reset(isConfirmed) {
      checkConfirmed(isConfirmed);
      store.transaction(() => {
        store.clear();
        seedConfigured();
        agents.end();
      });
      journal.clear();
      faults.clear();
      transitions.reset();
    },
  };
}

/** The same administration for code in the server's process. */
export function createControls(admin: AdminOptions): Controls {
  const { services, clock, transitions, faults, journal, publicUrl } = admin;
  const { deployments, revisions } = services;
  return {
    clock,
    transitions,
    faults,
    revisions: {
      advance: async (id, to) => revisions.view((await deployments.advanceRevision(id, to)).revision),
    },
    deployments: { advance: (id) => deployments.advanceDeletion(id) },
    requests: (filter) => journal.read(journalFilter(filter)),
    counts: (filter) => journal.count(journalFilter(filter)),
    fixture: (filter) => fixtureOf(journal.read(journalFilter(filter)), publicUrl()),
    seed: admin.seed,
    snapshot: {
      get: async () => admin.takeSnapshot(true),
      put: async (snapshot, { confirm = false } = {}) => admin.putSnapshot(snapshot, confirm),
    },
    push: async (event) => (await deployments.push(event)).map(({ revision }) => revisions.view(revision)),
    info: async () => admin.info(),
    reset: async ({ confirm = false } = {}) => admin.reset(confirm),
  };
}

function journalFilter({ path, since, ...rest }: RequestsFilter = {}): JournalFilter {
  return { ...rest, path: path === undefined ? undefined : globMatcher(path), since: since?.getTime() };
}
