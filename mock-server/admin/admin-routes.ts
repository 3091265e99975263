import { z } from "zod";
import { advanceDeletion, deploymentNotFound, findAnywhere, push } from "../control-plane/deployment-model.ts";
import { advanceRevision } from "../control-plane/revision-model.ts";
import { transitionSettingsSchema } from "../control-plane/transition-settings.ts";
import { viewRevision } from "../control-plane/views.ts";
import { parseDuration } from "../duration.ts";
import { faultRuleSchema } from "../faults/fault-rule.ts";
import { sendJson } from "../http/answer.ts";
import type { Exchange } from "../http/exchange.ts";
import { badRequest, HttpError } from "../http-error.ts";
import type { Mock } from "../mock.ts";
import type { Endpoint } from "../openapi/route.ts";
import type { ServerInfo } from "../server-info.ts";
import { readAdminBody } from "./admin-body.ts";
import { serveJournal } from "./journal-routes.ts";
import { applySeed, seedSchema } from "./seed.ts";
import { putSnapshot, snapshotSchema, takeSnapshot } from "./snapshot.ts";

const durationMessage = "Input should be a duration such as 5m";
const clockRequest = z.discriminatedUnion("action", [
  z.strictObject({ action: z.literal("freeze"), at: z.iso.datetime({ offset: true }).optional() }),
  z.strictObject({
    action: z.literal("advance"),
    by: z.union([z.string(), z.number()], { error: durationMessage }).refine((by) => {
      try {
        return parseDuration(by) >= 0;
      } catch {
        return false;
      }
    }, durationMessage),
  }),
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
const isConfirmed = (exchange: Exchange) => exchange.query.get("confirm") === "true";

/** What the admin API says about the server itself. */
export interface AdminActions {
  info(): ServerInfo;
  /** Forgets all deployments, requests, faults and settings. */
  reset(isConfirmed: boolean): Promise<void>;
}

/** Adds one method of one path of the admin API. */
export type ServeAdmin = (method: string, path: string, handle: Endpoint["handle"]) => void;

/** Serves the admin API under `/_mock`. The guard in front of it is the app's. */
export function serveAdmin(serve: ServeAdmin, mock: Mock, actions: AdminActions): void {
  const clock = () => ({ now: new Date(mock.clock.now()).toISOString(), frozen: mock.clock.frozen });

  serve("GET", "/_mock/health", () => sendJson(200, { ok: true }));
  serve("GET", "/_mock/info", () => sendJson(200, actions.info()));
  serve("POST", "/_mock/reset", async (exchange) => {
    await actions.reset(isConfirmed(exchange));
    return sendJson(200, { ok: true });
  });
  serve("POST", "/_mock/seed", async (exchange) => {
    return sendJson(201, await applySeed(mock, await readAdminBody(exchange, seedSchema, snapshotLimitBytes)));
  });
  serve("GET", "/_mock/snapshot", async (exchange) =>
    sendJson(200, takeSnapshot(mock, exchange.query.get("secrets") === "include")),
  );
  serve("PUT", "/_mock/snapshot", async (exchange) => {
    const snapshot = await readAdminBody(exchange, snapshotSchema, snapshotLimitBytes);
    await refusing(() => putSnapshot(mock, snapshot, isConfirmed(exchange)));
    return sendJson(204, undefined);
  });

  serveJournal(serve, mock.journal, () => mock.publicUrl());

  serve("GET", "/_mock/clock", () => sendJson(200, clock()));
  serve("POST", "/_mock/clock", async (exchange) => {
    const request = await readAdminBody(exchange, clockRequest);
    if (request.action === "freeze") mock.clock.freeze(request.at === undefined ? undefined : new Date(request.at));
    else if (request.action === "advance") await refusing(() => mock.clock.advance(request.by));
    else mock.clock.resume();
    return sendJson(200, clock());
  });

  serve("GET", "/_mock/transitions", () => sendJson(200, mock.transitions.get()));
  serve("PUT", "/_mock/transitions", async (exchange) => {
    mock.transitions.set(await readAdminBody(exchange, transitionSettingsSchema));
    return sendJson(200, mock.transitions.get());
  });

  serve("POST", "/_mock/revisions/{id}/advance", async (exchange) => {
    const { to } = await readAdminBody(exchange, advanceRequest);
    const { revision } = await advanceRevision(mock, exchange.param("id"), to);
    return sendJson(200, viewRevision(revision, mock.clock.now()));
  });
  serve("POST", "/_mock/deployments/{id}/advance", async (exchange) => {
    await advanceDeletion(mock, exchange.param("id"));
    return sendJson(204, undefined);
  });
  serve("PATCH", "/_mock/deployments/{id}", async (exchange) => {
    const id = exchange.param("id");
    const { tag_value_ids: tagValueIds } = await readAdminBody(exchange, deploymentRequest);
    await mock.locks.run(id, async () => {
      const record = findAnywhere(mock, id);
      if (!record) throw deploymentNotFound(id);
      mock.state.deployments.update({ ...record, tagValueIds });
    });
    return sendJson(204, undefined);
  });

  serve("POST", "/_mock/push", async (exchange) => {
    const changes = await push(mock, await readAdminBody(exchange, pushRequest));
    const revisions = changes.map(({ revision }) => viewRevision(revision, mock.clock.now()));
    return sendJson(200, { revisions });
  });

  serve("GET", "/_mock/faults", () => sendJson(200, { rules: mock.faults.list() }));
  const rulesOf = async (exchange: Exchange) => {
    const request = await readAdminBody(exchange, faultsRequest);
    return Array.isArray(request) ? request : request.rules;
  };
  serve("PUT", "/_mock/faults", async (exchange) => {
    const rules = await rulesOf(exchange);
    return sendJson(200, { rules: await refusing(() => mock.faults.replace(rules)) });
  });
  serve("POST", "/_mock/faults", async (exchange) => {
    const rules = await rulesOf(exchange);
    return sendJson(201, { rules: await refusing(() => mock.faults.add(...rules)) });
  });
  serve("DELETE", "/_mock/faults/{id}", (exchange) => {
    const id = exchange.param("id");
    if (!mock.faults.remove(id)) throw new HttpError(404, `Fault rule ${id} not found.`);
    return sendJson(204, undefined);
  });
  serve("DELETE", "/_mock/faults", () => {
    mock.faults.clear();
    return sendJson(204, undefined);
  });
}
