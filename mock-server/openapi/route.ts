import type { Context, Hono } from "hono";
import type { z } from "zod";
import type { Scope } from "../control-plane/deployment-model.ts";
import type { Mock } from "../mock.ts";
import type { Edition } from "../state/records.ts";
import { type Operation, type QueryParameter, routerPath } from "./operation.ts";
import { readRequest } from "./request.ts";
import { sendJson, sendPage } from "./response.ts";

/** What the handlers and the journal tell each other about a request. */
export interface RequestVariables {
  requestId: string;
  operation?: string;
  tenant?: string;
  requestText?: string;
  responseText?: string;
  responseHeaders?: Record<string, string>;
}
export type MockEnvironment = { Variables: RequestVariables };
export type MockApp = Hono<MockEnvironment>;
export type MockRequest = Context<MockEnvironment>;

/** An answer of a handler; without `body` or `page`, the response has none. */
export interface Answer {
  status: number;
  body?: unknown;
  /** An HTML page, instead of a JSON body. */
  page?: string;
}

/** One authenticated and valid request of an operation. */
export interface Call<Query, Body> {
  mock: Mock;
  /** Of an open operation, whose caller shows no key, the workspace is empty. */
  scope: Scope;
  /** Who calls, as the auth service knows them: one identifier for each key. Empty for an open operation. */
  caller: string;
  /** What is aborted when the caller hangs up. Asked for only by those who wait, because it costs as much as all the rest of a request. */
  signal(): AbortSignal;
  params: Record<string, string>;
  query: Query;
  body: Body;
}

/** An operation and what serves it. */
export interface Route extends Operation {
  handle(call: Call<never, never>): Promise<Answer>;
}

type QueryOf<Parameters extends Record<string, QueryParameter>> = {
  [Name in keyof Parameters]: z.output<Parameters[Name]["schema"]>;
};

/** Describes an operation together with its handler, whose arguments are typed by the schemas. */
export function route<
  const Parameters extends Record<string, QueryParameter> = Record<never, never>,
  Schema extends z.ZodType = z.ZodType<undefined>,
>(
  definition: Omit<Operation, "query" | "body"> & {
    query?: Parameters;
    body?: { schema: Schema; required: boolean };
    handle(call: Call<QueryOf<Parameters>, z.output<Schema>>): Promise<Answer>;
  },
): Route {
  return definition as unknown as Route;
}

/** Serves `routes` in one edition; methods that a known path hasn't are answered 405. */
export function serveRoutes(
  app: MockApp,
  prefix: string,
  mock: Mock,
  edition: Edition,
  routes: readonly Route[],
): void {
  for (const definition of routes) {
    app.on(definition.method.toUpperCase(), prefix + routerPath(definition.path), async (context) => {
      context.set("operation", definition.id);
      let tenantId = "";
      let caller = "";
      if (!definition.isOpen) {
        const credentials = {
          apiKey: context.req.header("x-api-key"),
          authorization: context.req.header("authorization"),
          tenantId: context.req.header("x-tenant-id"),
        };
        tenantId = mock.keys.enter(credentials);
        caller = mock.keys.callerOf(credentials);
        context.set("tenant", tenantId);
      }
      const request = await readRequest(context, definition, mock.strict);
      const signal = () => context.req.raw.signal;
      const call = { mock, scope: { edition, tenantId }, caller, signal, ...request };
      const { status, body, page } = await definition.handle(call as Call<never, never>);
      return page === undefined ? sendJson(context, status, body) : sendPage(context, status, page);
    });
  }
  for (const [path, methods] of methodsByPath(routes)) {
    app.all(prefix + routerPath(path), (context) =>
      sendJson(context, 405, { detail: "Method Not Allowed" }, { allow: methods.join(", ") }),
    );
  }
}

function methodsByPath(routes: readonly Route[]): Map<string, string[]> {
  const methods = new Map<string, string[]>();
  for (const { path, method } of routes) {
    methods.set(path, [...(methods.get(path) ?? []), method.toUpperCase()]);
  }
  return methods;
}
