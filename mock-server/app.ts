import { type AdminActions, serveAdmin } from "./admin/admin-routes.ts";
import { serveAgents } from "./agent-server/agent-routes.ts";
import { controlPlaneRoutes, serveControlPlane } from "./control-plane/control-plane.ts";
import { applyFault, isHandled } from "./faults/fault-effects.ts";
import type { FaultEffect } from "./faults/fault-rule.ts";
import { type Answer, sendJson } from "./http/answer.ts";
import { readText } from "./http/body.ts";
import type { Exchange } from "./http/exchange.ts";
import { ClientGone } from "./http/request-body.ts";
import { type Found, Router } from "./http/router.ts";
import { type Sent, send } from "./http/send.ts";
import { HttpError } from "./http-error.ts";
import type { Mock } from "./mock.ts";
import { serveOAuth } from "./oauth/oauth-routes.ts";
import type { Endpoint } from "./openapi/route.ts";
import { serveUploads, uploadOperation } from "./uploads/upload-routes.ts";

/** What the app needs from the server around it. */
export interface AppSurroundings extends AdminActions {
  /** @throws {HttpError} 403 for a request that the admin API isn't for. */
  guardAdmin(exchange: Exchange): void;
  /** Called with what went wrong inside the server, which is a defect of it. */
  onDefect(error: unknown): void;
}

/** All of a mock server's HTTP: both control planes, the agent servers and the admin API. */
export function createApp(mock: Mock, surroundings: AppSurroundings): (exchange: Exchange) => void {
  const admin = new Router<Endpoint["handle"]>();
  serveAdmin((method, path, handle) => admin.on(method, path, handle), mock, surroundings);
  const router = new Router<Endpoint>();
  serveControlPlane(router, mock, "cloud");
  serveControlPlane(router, mock, "self-hosted");
  serveAgents(router, mock);
  serveUploads(router, mock);
  serveOAuth(router, mock);

  const answerAdmin = async (exchange: Exchange): Promise<void> => {
    send(
      exchange,
      await orError(surroundings, () => {
        surroundings.guardAdmin(exchange);
        const found = admin.find(exchange.method, exchange.rawPath);
        if (!found) return notFound;
        exchange.params = found.params;
        return found.target(exchange);
      }),
    );
  };

  const answer = async (exchange: Exchange): Promise<void> => {
    const time = mock.clock.now();
    const found = router.find(exchange.method, exchange.rawPath);
    exchange.operation = found?.target.operation ?? null;
    const effect = mock.faults.isEmpty ? undefined : takeFault(mock, exchange);
    const handle = () => answerWith(router, exchange, found);
    let given: Answer | undefined;
    if (effect) given = await answerWithFault(exchange, effect, () => orError(surroundings, handle));
    else {
      try {
        // What is there already isn't waited for.
        const outcome = handle();
        given = outcome instanceof Promise ? await outcome : outcome;
      } catch (error) {
        given = answerTo(error, surroundings);
      }
    }
    // A client that has hung up gets no answer, nor does one whose connection a fault has broken off.
    const status = given === undefined || exchange.isGone ? null : given.status;
    const sent = given && send(exchange, given);
    record(mock, exchange, time, status, status === null ? undefined : sent);
  };

  return (exchange) => {
    exchange.requestId = mock.ids.uuid();
    const isAdmin = exchange.rawPath.startsWith("/_mock/");
    (isAdmin ? answerAdmin(exchange) : answer(exchange)).catch((error: unknown) => {
      surroundings.onDefect(error);
      exchange.connection.destroy();
    });
  };
}

/** The ids of all operations that a request can belong to. */
export const operationIds: readonly string[] = [...controlPlaneRoutes.map(({ id }) => id), uploadOperation];

const notFound = sendJson(404, { detail: "Not Found" });

function answerWith(router: Router<Endpoint>, exchange: Exchange, found: Found<Endpoint> | undefined) {
  if (found) {
    exchange.params = found.params;
    return found.target.handle(exchange);
  }
  const methods = router.methodsOf(exchange.rawPath);
  return methods ? sendJson(405, { detail: "Method Not Allowed" }, { allow: methods.join(", ") }) : notFound;
}

/** What `handle` answers, or the answer that says what it has thrown. */
async function orError(surroundings: AppSurroundings, handle: () => Answer | Promise<Answer>): Promise<Answer> {
  try {
    return await handle();
  } catch (error) {
    return answerTo(error, surroundings);
  }
}

/** The answer that says what was thrown. */
function answerTo(error: unknown, { onDefect }: AppSurroundings): Answer {
  if (error instanceof HttpError) return sendJson(error.status, { detail: error.detail }, error.headers);
  if (!(error instanceof ClientGone)) onDefect(error);
  return sendJson(500, { detail: "Internal Server Error" });
}

function takeFault(mock: Mock, exchange: Exchange): FaultEffect | undefined {
  const { method, path, operation } = exchange;
  return mock.faults.take({
    method,
    path,
    tenant: exchange.header("x-tenant-id"),
    operation: () => operation ?? undefined,
  });
}

async function readForJournal(exchange: Exchange): Promise<void> {
  try {
    await readText(exchange);
  } catch {
    // What can't be read is answered with the fault all the same.
  }
}

async function answerWithFault(
  exchange: Exchange,
  effect: FaultEffect,
  handle: () => Promise<Answer>,
): Promise<Answer | undefined> {
  // What handles a request reads its body itself, in its own way and within its own limit.
  if (!isHandled(effect)) await readForJournal(exchange);
  return applyFault(exchange, effect, handle);
}

const noHeaders: readonly string[] = [];

function record(mock: Mock, exchange: Exchange, time: number, status: number | null, sent: Sent | undefined): void {
  mock.journal.add({
    id: exchange.requestId,
    time,
    method: exchange.method,
    path: exchange.target,
    operation: exchange.operation,
    tenant: exchange.tenant ?? exchange.header("x-tenant-id") ?? null,
    status,
    requestHeaders: exchange.headerLines,
    requestBody: exchange.requestText ?? null,
    responseHeaders: sent?.headers ?? noHeaders,
    responseBody: sent?.json ?? null,
  });
}
