import { z } from "zod";
import { type TransitionTable, wireTransitionSettingsSchema } from "../control-plane/revisions/transition-settings.ts";
import type { Services } from "../control-plane/services.ts";
import { wireFaultRuleSchema } from "../faults/fault-rule.ts";
import type { FaultTable } from "../faults/fault-table.ts";
import type { Journal } from "../journal/journal.ts";
import type { Clock } from "../kit/clock.ts";
import { durationSchema } from "../kit/duration-schema.ts";
import { badRequest, HttpError } from "../kit/http/http-error.ts";
import { jsonResponse } from "../kit/http/http-response.ts";
import type { RequestContext } from "../kit/http/request-context.ts";
import { timestamp } from "../kit/timestamp.ts";
import { toWireNames, underWireNames } from "../kit/wire-names.ts";
import type { ServerInfo } from "../server-info.ts";
import { readAdminBody } from "./admin-body.ts";
import type { ServeAdmin } from "./admin-route.ts";
import { serveJournal } from "./journal-routes.ts";
import { type Seed, type Seeded, wireSeedSchema } from "./seed.ts";
import { type Snapshot, snapshotSchema } from "./snapshot.ts";

const clockRequest = z.discriminatedUnion("action", [
  z.strictObject({ action: z.literal("freeze"), at: z.iso.datetime({ offset: true }).optional() }),
  z.strictObject({ action: z.literal("advance"), by: durationSchema }),
  z.strictObject({ action: z.literal("resume") }),
]);

const pushRequest = underWireNames(
  z.strictObject({
    repoUrl: z.string().min(1),
    ref: z.string().min(1),
    commit: z.string().min(1),
    force: z.boolean().optional(),
  }),
);
const advanceRequest = z.strictObject({ to: z.string().min(1).optional() });
const deploymentRequest = z.strictObject({ tag_value_ids: z.array(z.string()) });
const faultsRequest = z.union([z.array(wireFaultRuleSchema), z.strictObject({ rules: z.array(wireFaultRuleSchema) })]);

/** Body limit of seeds and snapshots: 512 MiB, since snapshots include uploads. */
const snapshotLimitBytes = 512 * 1024 * 1024;

const wireResponse = (status: number, body: unknown) => jsonResponse(status, toWireNames(body));

/** Runs `change`. @throws {HttpError} 400 where it throws a `RangeError`, for example for a duplicate id. */
async function orBadRequest<Result>(change: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await change();
  } catch (error) {
    if (error instanceof RangeError) throw badRequest(error.message);
    throw error;
  }
}

/** Whether a request confirms that the contents of a data directory may be discarded. */
const isConfirmed = (context: RequestContext) => context.query.get("confirm") === "true";

export interface AdminOptions {
  services: Services;
  clock: Clock;
  transitions: TransitionTable;
  faults: FaultTable;
  journal: Journal;
  publicUrl(): string;
  info(): ServerInfo;
  seed(seed: Seed): Promise<Seeded>;
  takeSnapshot(includeSecrets: boolean): Snapshot;
  putSnapshot(snapshot: Snapshot, isConfirmed: boolean): void;
  /** Removes everything but the configured integrations; the clock stays as it is. */
  reset(isConfirmed: boolean): void;
}

/** Serves the admin API under `/_mock`. The app guards it: see {@link guardAdmin}. */
export function serveAdmin(serve: ServeAdmin, options: AdminOptions): void {
  serve("GET", "/_mock/health", () => jsonResponse(200, { ok: true }));
  serve("GET", "/_mock/info", () => wireResponse(200, options.info()));
  serveState(serve, options);
  serveJournal(serve, options.journal, options.publicUrl);
  serveClock(serve, options.clock);
  serveDeployments(serve, options);
  serveFaults(serve, options.faults);
}

function serveState(serve: ServeAdmin, options: AdminOptions): void {
  serve("POST", "/_mock/reset", async (context) => {
    options.reset(isConfirmed(context));
    return jsonResponse(200, { ok: true });
  });
  serve("POST", "/_mock/seed", async (context) => {
    return wireResponse(201, await options.seed(await readAdminBody(context, wireSeedSchema, snapshotLimitBytes)));
  });
  serve("GET", "/_mock/snapshot", async (context) =>
    jsonResponse(200, options.takeSnapshot(context.query.get("secrets") === "include")),
  );
  serve("PUT", "/_mock/snapshot", async (context) => {
    const snapshot = await readAdminBody(context, snapshotSchema, snapshotLimitBytes);
    await orBadRequest(() => options.putSnapshot(snapshot, isConfirmed(context)));
    return jsonResponse(204, undefined);
  });
}

function serveClock(serve: ServeAdmin, clock: Clock): void {
  const clockState = () => ({ now: timestamp(clock.now()), frozen: clock.frozen });
  serve("GET", "/_mock/clock", () => jsonResponse(200, clockState()));
  serve("POST", "/_mock/clock", async (context) => {
    const request = await readAdminBody(context, clockRequest);
    if (request.action === "freeze") clock.freeze(request.at === undefined ? undefined : new Date(request.at));
    else if (request.action === "advance") await orBadRequest(() => clock.advance(request.by));
    else clock.resume();
    return jsonResponse(200, clockState());
  });
}

function serveDeployments(
  serve: ServeAdmin,
  { services: { deployments, revisions }, transitions }: AdminOptions,
): void {
  serve("GET", "/_mock/transitions", () => wireResponse(200, transitions.get()));
  serve("PUT", "/_mock/transitions", async (context) => {
    transitions.set(await readAdminBody(context, wireTransitionSettingsSchema));
    return wireResponse(200, transitions.get());
  });

  serve("POST", "/_mock/revisions/{id}/advance", async (context) => {
    const { to } = await readAdminBody(context, advanceRequest);
    const { revision } = await deployments.advanceRevision(context.param("id"), to);
    return jsonResponse(200, revisions.view(revision));
  });
  serve("POST", "/_mock/deployments/{id}/advance", async (context) => {
    await deployments.advanceDeletion(context.param("id"));
    return jsonResponse(204, undefined);
  });
  serve("PATCH", "/_mock/deployments/{id}", async (context) => {
    const { tag_value_ids: tagValueIds } = await readAdminBody(context, deploymentRequest);
    await deployments.tag(context.param("id"), tagValueIds);
    return jsonResponse(204, undefined);
  });

  serve("POST", "/_mock/push", async (context) => {
    const changes = await deployments.push(await readAdminBody(context, pushRequest));
    return jsonResponse(200, { revisions: changes.map(({ revision }) => revisions.view(revision)) });
  });
}

function serveFaults(serve: ServeAdmin, faults: FaultTable): void {
  serve("GET", "/_mock/faults", () => wireResponse(200, { rules: faults.list() }));
  const rulesOf = async (context: RequestContext) => {
    const request = await readAdminBody(context, faultsRequest);
    return Array.isArray(request) ? request : request.rules;
  };
  serve("PUT", "/_mock/faults", async (context) => {
    const rules = await rulesOf(context);
    return wireResponse(200, { rules: await orBadRequest(() => faults.replace(rules)) });
  });
  serve("POST", "/_mock/faults", async (context) => {
    const rules = await rulesOf(context);
    return wireResponse(201, { rules: await orBadRequest(() => faults.add(...rules)) });
  });
  serve("DELETE", "/_mock/faults/{id}", (context) => {
    const id = context.param("id");
    if (!faults.remove(id)) throw new HttpError(404, `Fault rule ${id} not found.`);
    return jsonResponse(204, undefined);
  });
  serve("DELETE", "/_mock/faults", () => {
    faults.clear();
    return jsonResponse(204, undefined);
  });
}
