import { z } from "zod";
import {
  advanceDeletion,
  deploymentNotFound,
  findAnywhere,
  push,
} from "../control-plane/deployments/deployment-model.ts";
import { advanceRevision } from "../control-plane/revisions/revision-model.ts";
import { transitionSettingsSchema } from "../control-plane/revisions/transition-settings.ts";
import { viewRevision } from "../control-plane/views.ts";
import { faultRuleSchema } from "../faults/fault-rule.ts";
import { durationSchema } from "../kit/duration-schema.ts";
import { badRequest, HttpError } from "../kit/http/http-error.ts";
import { jsonResponse } from "../kit/http/http-response.ts";
import type { RequestContext } from "../kit/http/request-context.ts";
import type { Mock } from "../mock.ts";
import type { ServerInfo } from "../server-info.ts";
import { readAdminBody } from "./admin-body.ts";
import type { ServeAdmin } from "./admin-route.ts";
import { serveJournal } from "./journal-routes.ts";
import { applySeed, seedSchema } from "./seed.ts";
import { putSnapshot, snapshotSchema, takeSnapshot } from "./snapshot.ts";

const clockRequest = z.discriminatedUnion("action", [
  z.strictObject({ action: z.literal("freeze"), at: z.iso.datetime({ offset: true }).optional() }),
  z.strictObject({ action: z.literal("advance"), by: durationSchema }),
  z.strictObject({ action: z.literal("resume") }),
]);

const pushRequest = z.strictObject({
  repo_url: z.string().min(1),
  ref: z.string().min(1),
  commit: z.string().min(1),
  force: z.boolean().optional(),
});
const advanceRequest = z.strictObject({ to: z.string().min(1).optional() });
const deploymentRequest = z.strictObject({ tag_value_ids: z.array(z.string()) });
const faultsRequest = z.union([z.array(faultRuleSchema), z.strictObject({ rules: z.array(faultRuleSchema) })]);

/** Largest accepted seed or snapshot: 512 MiB, which leaves room for uploads. */
const snapshotLimitBytes = 512 * 1024 * 1024;

/** What `change` returns; what it refuses, such as an id given twice, is a bad request. */
async function refusing<Result>(change: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await change();
  } catch (error) {
    if (error instanceof RangeError) throw badRequest(error.message);
    throw error;
  }
}

/** Whether a request says that it means to give up what a data directory keeps. */
const isConfirmed = (context: RequestContext) => context.query.get("confirm") === "true";

/** What the admin API says about the server itself. */
export interface AdminActions {
  info(): ServerInfo;
  /** Forgets all deployments, requests, faults and settings. */
  reset(isConfirmed: boolean): Promise<void>;
}

/** Serves the admin API under `/_mock`. The guard in front of it is the app's. */
export function serveAdmin(serve: ServeAdmin, mock: Mock, actions: AdminActions): void {
  const clock = () => ({ now: new Date(mock.clock.now()).toISOString(), frozen: mock.clock.frozen });

  serve("GET", "/_mock/health", () => jsonResponse(200, { ok: true }));
  serve("GET", "/_mock/info", () => jsonResponse(200, actions.info()));
  serve("POST", "/_mock/reset", async (context) => {
    await actions.reset(isConfirmed(context));
    return jsonResponse(200, { ok: true });
  });
  serve("POST", "/_mock/seed", async (context) => {
    return jsonResponse(201, await applySeed(mock, await readAdminBody(context, seedSchema, snapshotLimitBytes)));
  });
  serve("GET", "/_mock/snapshot", async (context) =>
    jsonResponse(200, takeSnapshot(mock, context.query.get("secrets") === "include")),
  );
  serve("PUT", "/_mock/snapshot", async (context) => {
    const snapshot = await readAdminBody(context, snapshotSchema, snapshotLimitBytes);
    await refusing(() => putSnapshot(mock, snapshot, isConfirmed(context)));
    return jsonResponse(204, undefined);
  });

  serveJournal(serve, mock.journal, () => mock.publicUrl());

  serve("GET", "/_mock/clock", () => jsonResponse(200, clock()));
  serve("POST", "/_mock/clock", async (context) => {
    const request = await readAdminBody(context, clockRequest);
    if (request.action === "freeze") mock.clock.freeze(request.at === undefined ? undefined : new Date(request.at));
    else if (request.action === "advance") await refusing(() => mock.clock.advance(request.by));
    else mock.clock.resume();
    return jsonResponse(200, clock());
  });

  serve("GET", "/_mock/transitions", () => jsonResponse(200, mock.transitions.get()));
  serve("PUT", "/_mock/transitions", async (context) => {
    mock.transitions.set(await readAdminBody(context, transitionSettingsSchema));
    return jsonResponse(200, mock.transitions.get());
  });

  serve("POST", "/_mock/revisions/{id}/advance", async (context) => {
    const { to } = await readAdminBody(context, advanceRequest);
    const { revision } = await advanceRevision(mock, context.param("id"), to);
    return jsonResponse(200, viewRevision(revision, mock.clock.now()));
  });
  serve("POST", "/_mock/deployments/{id}/advance", async (context) => {
    await advanceDeletion(mock, context.param("id"));
    return jsonResponse(204, undefined);
  });
  serve("PATCH", "/_mock/deployments/{id}", async (context) => {
    const id = context.param("id");
    const { tag_value_ids: tagValueIds } = await readAdminBody(context, deploymentRequest);
    await mock.locks.run(id, async () => {
      const record = findAnywhere(mock, id);
      if (!record) throw deploymentNotFound(id);
      mock.state.deployments.update({ ...record, tagValueIds });
    });
    return jsonResponse(204, undefined);
  });

  serve("POST", "/_mock/push", async (context) => {
    const changes = await push(mock, await readAdminBody(context, pushRequest));
    const revisions = changes.map(({ revision }) => viewRevision(revision, mock.clock.now()));
    return jsonResponse(200, { revisions });
  });

  serve("GET", "/_mock/faults", () => jsonResponse(200, { rules: mock.faults.list() }));
  const rulesOf = async (context: RequestContext) => {
    const request = await readAdminBody(context, faultsRequest);
    return Array.isArray(request) ? request : request.rules;
  };
  serve("PUT", "/_mock/faults", async (context) => {
    const rules = await rulesOf(context);
    return jsonResponse(200, { rules: await refusing(() => mock.faults.replace(rules)) });
  });
  serve("POST", "/_mock/faults", async (context) => {
    const rules = await rulesOf(context);
    return jsonResponse(201, { rules: await refusing(() => mock.faults.add(...rules)) });
  });
  serve("DELETE", "/_mock/faults/{id}", (context) => {
    const id = context.param("id");
    if (!mock.faults.remove(id)) throw new HttpError(404, `Fault rule ${id} not found.`);
    return jsonResponse(204, undefined);
  });
  serve("DELETE", "/_mock/faults", () => {
    mock.faults.clear();
    return jsonResponse(204, undefined);
  });
}
