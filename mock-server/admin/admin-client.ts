import type { Duration } from "../../core/time.ts";
import type { Push } from "../control-plane/deployments/deployment-registry.ts";
import type { TransitionSettings } from "../control-plane/revisions/transition-settings.ts";
import type { RevisionBody } from "../control-plane/schemas.ts";
import type { FaultRule } from "../faults/fault-rule.ts";
import type { FaultReport } from "../faults/fault-table.ts";
import type { RecordedRequest, RequestCounts } from "../journal/journal.ts";
import { fromWireNames, toWireNames } from "../kit/wire-names.ts";
import type { ServerInfo } from "../server-info.ts";
import type { FixtureEntry } from "./journal-fixture.ts";
import type { Seed, Seeded } from "./seed.ts";
import type { Snapshot } from "./snapshot.ts";

/** Thrown for a response of the admin API other than 2xx; `status` is that of the response. */
export class MockAdminError extends Error {
  override readonly name = "MockAdminError";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Selects recorded requests; a request must match every field that is given. */
export interface RemoteRequestsFilter {
  method?: string;
  /** Path without the query; `*` and `?` are wildcards. */
  path?: string;
  operation?: string;
  status?: number;
  /** The workspace. */
  tenant?: string;
  /** ISO 8601, by the server's clock. */
  since?: string;
  unmatched?: boolean;
}

/** Confirms that the contents of a data directory may be discarded; servers without one need no confirmation. */
export interface Confirmation {
  confirm?: boolean;
}

const confirmation = ({ confirm = false }: Confirmation = {}) => (confirm ? "?confirm=true" : "");

/** State of a server's clock; `now` is ISO 8601. */
export interface ClockState {
  now: string;
  frozen: boolean;
}

type Send = <Body>(method: string, path: string, body?: unknown) => Promise<Body>;

/** Sends requests to the admin API at `base`, with the token as a bearer token. */
function sender(base: string, token: string | undefined): Send {
  return async <Body>(method: string, path: string, body?: unknown) => {
    const response = await fetch(base + path, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new MockAdminError(response.status, `${method} /_mock${path}: ${response.status} ${text}`);
    return (text === "" ? undefined : JSON.parse(text)) as Body;
  };
}

function queryOf(filter: RemoteRequestsFilter = {}): string {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined);
  return given.length === 0
    ? ""
    : `?${new URLSearchParams(Object.fromEntries(given.map(([name, value]) => [name, String(value)])))}`;
}

/**
 * A client of the admin API of a mock server in another process. Its methods have the names of the object that
 * `startMockServer` returns. Every method throws a {@link MockAdminError} when the server refuses, and a `TypeError`
 * when the server can't be reached.
 */
export function connectMockServer(url: string, { token }: { token?: string } = {}) {
  const send = sender(`${url.replace(/\/+$/, "")}/_mock`, token);
  const sendFaults = async (method: string, rules?: FaultRule[]) =>
    fromWireNames<{ rules: FaultReport[] }>(await send(method, "/faults", rules && toWireNames(rules))).rules;

  return {
    /** Resolves when the server responds. */
    health: () => send<{ ok: true }>("GET", "/health"),
    async info() {
      const info = await send<Pick<ServerInfo, "oauth">>("GET", "/info");
      return { ...fromWireNames<ServerInfo>(info), oauth: info.oauth };
    },
    /**
     * Removes everything but the configured integrations; the clock stays as it is. With a data directory, needs
     * `confirm`.
     */
    reset: (options?: Confirmation) => send<{ ok: true }>("POST", `/reset${confirmation(options)}`),
    seed: async ({ integrations, ...seed }: Seed) =>
      fromWireNames<Seeded>(await send("POST", "/seed", { ...seed, integrations: toWireNames(integrations) })),
    snapshot: {
      /** A snapshot of the control planes, with secrets. */
      get: () => send<Snapshot>("GET", "/snapshot?secrets=include"),
      /** Replaces everything with a snapshot. With a data directory, needs `confirm`. */
      put: (snapshot: Snapshot, options?: Confirmation) =>
        send<void>("PUT", `/snapshot${confirmation(options)}`, snapshot),
    },
    requests: async (filter?: RemoteRequestsFilter) =>
      (await send<{ requests: RecordedRequest[] }>("GET", `/requests${queryOf(filter)}`)).requests,
    counts: async (filter?: RemoteRequestsFilter) =>
      fromWireNames<RequestCounts>(await send("GET", `/requests/counts${queryOf(filter)}`)),
    fixture: (filter?: RemoteRequestsFilter) => send<FixtureEntry[]>("GET", `/requests/export${queryOf(filter)}`),
    clearRequests: () => send<void>("DELETE", "/requests"),
    faults: {
      add: (...rules: FaultRule[]) => sendFaults("POST", rules),
      replace: (rules: FaultRule[]) => sendFaults("PUT", rules),
      /** The rules, each with how often it matched and was applied. */
      list: () => sendFaults("GET"),
      remove: (id: string) => send<void>("DELETE", `/faults/${encodeURIComponent(id)}`),
      clear: () => send<void>("DELETE", "/faults"),
    },
    clock: {
      get: () => send<ClockState>("GET", "/clock"),
      /** Stops the clock now, or at `at`. */
      freeze: (at?: Date) =>
        send<ClockState>("POST", "/clock", { action: "freeze", ...(at ? { at: at.toISOString() } : {}) }),
      /** Moves the clock forward. */
      advance: (by: Duration) => send<ClockState>("POST", "/clock", { action: "advance", by }),
      resume: () => send<ClockState>("POST", "/clock", { action: "resume" }),
    },
    transitions: {
      get: async () => fromWireNames<TransitionSettings>(await send("GET", "/transitions")),
      /** Replaces the given settings and leaves the others. */
      set: async (settings: TransitionSettings) =>
        fromWireNames<TransitionSettings>(await send("PUT", "/transitions", toWireNames(settings))),
    },
    revisions: {
      /** Moves a revision to its next status, or to `to`. */
      advance: (id: string, to?: string) =>
        send<RevisionBody>("POST", `/revisions/${encodeURIComponent(id)}/advance`, to === undefined ? {} : { to }),
    },
    deployments: {
      /** Moves a deletion to its next step. */
      advance: (id: string) => send<void>("POST", `/deployments/${encodeURIComponent(id)}/advance`),
    },
    /** Simulates a push to a repository; returns the revisions that it creates. */
    push: async (push: Push) =>
      (await send<{ revisions: RevisionBody[] }>("POST", "/push", toWireNames(push))).revisions,
  };
}
export type MockServerClient = ReturnType<typeof connectMockServer>;
