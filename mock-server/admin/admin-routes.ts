import { z } from "zod";
import { advanceDeletion, deploymentNotFound, findAnywhere, push } from "../control-plane/deployment-model.ts";
import { advanceRevision } from "../control-plane/revision-model.ts";
import { transitionSettingsSchema } from "../control-plane/transition-settings.ts";
import { viewRevision } from "../control-plane/views.ts";
import { parseDuration } from "../duration.ts";
import { faultRuleSchema } from "../faults/fault-rule.ts";
import { badRequest, HttpError } from "../http-error.ts";
import type { Mock } from "../mock.ts";
import { sendJson } from "../openapi/response.ts";
import type { MockApp, MockRequest } from "../openapi/route.ts";
import { readAdminBody } from "./admin-body.ts";
import { serveJournal } from "./journal-routes.ts";
import { applySeed, seedSchema } from "./seed.ts";
import { putSnapshot, snapshotSchema, takeSnapshot } from "./snapshot.ts";

const clockRequest = z.discriminatedUnion("action", [
  z.strictObject({ action: z.literal("freeze"), at: z.iso.datetime({ offset: true }).optional() }),
  z.strictObject({
    action: z.literal("advance"),
    by: z.union([z.string(), z.number()]).refine((by) => {
      try {
        return parseDuration(by) >= 0;
      } catch {
        return false;
      }
    }, "Input should be a duration such as 5m"),
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

/** What the admin API says about the server itself. */
export interface AdminActions {
  info(): Promise<Record<string, unknown>>;
  /** Forgets all deployments, requests, faults and settings. */
  reset(): Promise<void>;
}

/** Serves the admin API under `/_mock`. The guard in front of it is the app's. */
export function serveAdmin(app: MockApp, mock: Mock, actions: AdminActions): void {
  const clock = () => ({ now: new Date(mock.clock.now()).toISOString(), frozen: mock.clock.frozen });

  app.get("/_mock/health", (context) => sendJson(context, 200, { ok: true }));
  app.get("/_mock/info", async (context) => sendJson(context, 200, await actions.info()));
  app.post("/_mock/reset", async (context) => {
    await actions.reset();
    return sendJson(context, 200, { ok: true });
  });
  app.post("/_mock/seed", async (context) => {
    return sendJson(context, 201, await applySeed(mock, await readAdminBody(context, seedSchema, snapshotLimitBytes)));
  });
  app.get("/_mock/snapshot", async (context) =>
    sendJson(context, 200, await takeSnapshot(mock, context.req.query("secrets") === "include")),
  );
  app.put("/_mock/snapshot", async (context) => {
    const snapshot = await readAdminBody(context, snapshotSchema, snapshotLimitBytes);
    await refusing(() => putSnapshot(mock, snapshot));
    return sendJson(context, 204, undefined);
  });

  serveJournal(app, mock.journal, () => mock.publicUrl());

  app.get("/_mock/clock", (context) => sendJson(context, 200, clock()));
  app.post("/_mock/clock", async (context) => {
    const request = await readAdminBody(context, clockRequest);
    if (request.action === "freeze") mock.clock.freeze(request.at === undefined ? undefined : new Date(request.at));
    else if (request.action === "advance") mock.clock.advance(request.by);
    else mock.clock.resume();
    return sendJson(context, 200, clock());
  });

  app.get("/_mock/transitions", (context) => sendJson(context, 200, mock.transitions.get()));
  app.put("/_mock/transitions", async (context) => {
    mock.transitions.set(await readAdminBody(context, transitionSettingsSchema));
    return sendJson(context, 200, mock.transitions.get());
  });

  app.post("/_mock/revisions/:id/advance", async (context) => {
    const { to } = await readAdminBody(context, advanceRequest);
    const { revision } = await advanceRevision(mock, context.req.param("id"), to);
    return sendJson(context, 200, viewRevision(revision, mock.clock.now()));
  });
  app.post("/_mock/deployments/:id/advance", async (context) => {
    await advanceDeletion(mock, context.req.param("id"));
    return sendJson(context, 204, undefined);
  });
  app.patch("/_mock/deployments/:id", async (context) => {
    const id = context.req.param("id");
    const { tag_value_ids: tagValueIds } = await readAdminBody(context, deploymentRequest);
    await mock.locks.run(id, async () => {
      const record = await findAnywhere(mock, id);
      if (!record) throw deploymentNotFound(id);
      await mock.state.deployments.update({ ...record, tagValueIds });
    });
    return sendJson(context, 204, undefined);
  });

  app.post("/_mock/push", async (context) => {
    const changes = await push(mock, await readAdminBody(context, pushRequest));
    const revisions = changes.map(({ revision }) => viewRevision(revision, mock.clock.now()));
    return sendJson(context, 200, { revisions });
  });

  app.get("/_mock/faults", (context) => sendJson(context, 200, { rules: mock.faults.list() }));
  const rulesOf = async (context: MockRequest) => {
    const request = await readAdminBody(context, faultsRequest);
    return Array.isArray(request) ? request : request.rules;
  };
  app.put("/_mock/faults", async (context) => {
    const rules = await rulesOf(context);
    return sendJson(context, 200, { rules: await refusing(() => mock.faults.replace(rules)) });
  });
  app.post("/_mock/faults", async (context) => {
    const rules = await rulesOf(context);
    return sendJson(context, 201, { rules: await refusing(() => mock.faults.add(...rules)) });
  });
  app.delete("/_mock/faults/:id", (context) => {
    const id = context.req.param("id");
    if (!mock.faults.remove(id)) throw new HttpError(404, `Fault rule ${id} not found.`);
    return sendJson(context, 204, undefined);
  });
  app.delete("/_mock/faults", (context) => {
    mock.faults.clear();
    return sendJson(context, 204, undefined);
  });
}
