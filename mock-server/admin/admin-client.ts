import type { Duration } from "../../core/duration.ts";
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

/** A response of the admin API other than success. */
export class MockAdminError extends Error {
  override readonly name = "MockAdminError";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Which recorded requests to ask for. */
export interface RemoteRequestsFilter {
  method?: string;
  /** Path without the query; `*` and `?` are wild. */
  path?: string;
  operation?: string;
  status?: number;
  /** The workspace. */
  tenant?: string;
  /** ISO 8601, by the server's clock. */
  since?: string;
  unmatched?: boolean;
}

/** That what a data directory keeps is to be given up. */
export interface Confirmation {
  confirm?: boolean;
}

const confirmation = ({ confirm = false }: Confirmation = {}) => (confirm ? "?confirm=true" : "");

/** The clock of a server: `now` is ISO 8601. */
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
 * A client of the admin API of a mock server in another process. Its methods have the names of the object that `startMockServer` returns.
 * Every method throws a {@link MockAdminError} when the server refuses, and a `TypeError` when the server can't be reached.
 */
export function connectMockServer(url: string, { token }: { token?: string } = {}) {
  const send = sender(`${url.replace(/\/+$/, "")}/_mock`, token);
  const sendFaults = async (method: string, rules?: FaultRule[]) =>
    fromWireNames<{ rules: FaultReport[] }>(await send(method, "/faults", rules && toWireNames(rules))).rules;

  return {
    /** Resolves when the server answers. */
    health: () => send<{ ok: true }>("GET", "/health"),
    async info() {
      const info = await send<Pick<ServerInfo, "oauth">>("GET", "/info");
      return { ...fromWireNames<ServerInfo>(info), oauth: info.oauth };
    },
    /** Back to the beginning; the clock stays as it is. What a data directory keeps is given up only with `confirm`. */
    reset: (options?: Confirmation) => send<{ ok: true }>("POST", `/reset${confirmation(options)}`),
    seed: async ({ integrations, ...seed }: Seed) =>
      fromWireNames<Seeded>(await send("POST", "/seed", { ...seed, integrations: toWireNames(integrations) })),
    snapshot: {
      /** Everything that the server knows, with its secrets. */
      get: () => send<Snapshot>("GET", "/snapshot?secrets=include"),
      /** Puts a snapshot in the place of everything; of what a data directory keeps only with `confirm`. */
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
      /** The rules, with how often each matched and happened. */
      list: () => sendFaults("GET"),
      remove: (id: string) => send<void>("DELETE", `/faults/${encodeURIComponent(id)}`),
      clear: () => send<void>("DELETE", "/faults"),
    },
    clock: {
      get: () => send<ClockState>("GET", "/clock"),
      /** Stops the time where it is, or at `at`. */
      freeze: (at?: Date) =>
        send<ClockState>("POST", "/clock", { action: "freeze", ...(at ? { at: at.toISOString() } : {}) }),
      /** Moves the time forward. */
      advance: (by: Duration) => send<ClockState>("POST", "/clock", { action: "advance", by }),
      resume: () => send<ClockState>("POST", "/clock", { action: "resume" }),
    },
    transitions: {
      get: async () => fromWireNames<TransitionSettings>(await send("GET", "/transitions")),
      /** Replaces what is given; what is left out stays. */
      set: async (settings: TransitionSettings) =>
        fromWireNames<TransitionSettings>(await send("PUT", "/transitions", toWireNames(settings))),
    },
    revisions: {
      /** Moves a revision to its next status, or to `to`. */
      advance: (id: string, to?: string) =>
        send<RevisionBody>("POST", `/revisions/${encodeURIComponent(id)}/advance`, to === undefined ? {} : { to }),
    },
    deployments: {
      /** Moves a deletion one step on. */
      advance: (id: string) => send<void>("POST", `/deployments/${encodeURIComponent(id)}/advance`),
    },
    /** Does what a push to a repository would cause; returns the revisions that this made. */
    push: async (push: Push) =>
      (await send<{ revisions: RevisionBody[] }>("POST", "/push", toWireNames(push))).revisions,
  };
}
export type MockServerClient = ReturnType<typeof connectMockServer>;
