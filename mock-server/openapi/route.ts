import type { z } from "zod";
import type { Scope } from "../control-plane/deployment-model.ts";
import type { Edition } from "../control-plane/store/records.ts";
import type { Answer } from "../http/answer.ts";
import type { Exchange } from "../http/exchange.ts";
import type { Router } from "../http/router.ts";
import type { Mock } from "../mock.ts";
import type { Operation, QueryParameter } from "./operation.ts";
import { requestReader, type ValidRequest } from "./request.ts";

/** What answers the requests that a router has found it for. */
export interface Endpoint {
  /** The operation that they belong to; `null` for what is no operation of the control plane. */
  operation: string | null;
  handle(exchange: Exchange): Answer | Promise<Answer>;
}

/** One authenticated and valid request of an operation. */
export interface Call<Query, Body> {
  mock: Mock;
  /** Of an open operation, whose caller shows no key, the workspace is empty. */
  scope: Scope;
  /** Who calls, as the auth service knows them: one identifier for each key. Empty for an open operation. */
  caller: string;
  /** What is aborted when the caller hangs up. */
  signal(): AbortSignal;
  params: Record<string, string>;
  query: Query;
  body: Body;
}

/** An operation and what serves it. */
export interface Route extends Operation {
  handle(call: Call<never, never>): Answer | Promise<Answer>;
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
    handle(call: Call<QueryOf<Parameters>, z.output<Schema>>): Answer | Promise<Answer>;
  },
): Route {
  return definition as unknown as Route;
}

/** Serves `routes` in one edition; methods that a known path hasn't are answered 405. */
export function serveRoutes(
  router: Router<Endpoint>,
  prefix: string,
  mock: Mock,
  edition: Edition,
  routes: readonly Route[],
): void {
  for (const definition of routes) {
    router.onlyOn(definition.method.toUpperCase(), prefix + definition.path, {
      operation: definition.id,
      handle: handlerOf(definition, mock, edition),
    });
  }
}

function handlerOf(definition: Route, mock: Mock, edition: Edition): Endpoint["handle"] {
  const read = requestReader(definition, mock.strict);
  return (exchange) => {
    let tenantId = "";
    let caller = "";
    if (!definition.isOpen) {
      const credentials = {
        apiKey: exchange.header("x-api-key"),
        authorization: exchange.header("authorization"),
        tenantId: exchange.header("x-tenant-id"),
      };
      tenantId = mock.keys.enter(credentials);
      caller = mock.keys.callerOf(credentials);
      exchange.tenant = tenantId;
    }
    const asked = read(exchange);
    const signal = () => exchange.signal();
    const answer = ({ params, query, body }: ValidRequest) => {
      const call = { mock, scope: { edition, tenantId }, caller, signal, params, query, body };
      return definition.handle(call as Call<never, never>);
    };
    return asked instanceof Promise ? asked.then(answer) : answer(asked);
  };
}
