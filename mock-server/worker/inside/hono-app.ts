import type { Context, Hono, MiddlewareHandler } from "hono";
import type { AuthUser } from "../../agent-server/auth/auth-user.ts";
import type { AppTable } from "../protocol.ts";

/** What the app gets beside a request. */
export interface AppCall {
  /** `null` without auth handlers, and for callers that aren't authenticated. */
  user: AuthUser | null;
  /** Responds as the agent server to the request that the app passes on, with the app's changes. */
  next(passed: Request): Promise<Response>;
}

const callKey = Symbol("call");

/** Under this name a handler of a grouped app with an error handler has the original. */
const composed = "__COMPOSED_HANDLER";

/** Whether an app is one of Hono, of whichever copy the project has. */
export function isHono(app: object): app is Hono {
  const { routes, router, getPath, notFound } = app as Partial<Hono>;
  return Array.isArray(routes) && typeof router?.match === "function" && [getPath, notFound].every(isFunction);
}

/** An app of Hono whose middleware and routes pass on to the agent server what they don't respond to themselves. */
export class PassingHono {
  readonly #whole: Hono;
  readonly table: AppTable;

  constructor(app: Hono) {
    const Class = honoClass(app);
    const isStrict = app.getPath === new Class().getPath;
    const readsPathsItself = !isStrict && app.getPath !== new Class({ strict: false }).getPath;
    const whole = new Class({ getPath: app.getPath });
    whole.use(setUser);
    whole.route("/", app);
    whole.notFound(async (c) => {
      const response = await callOf(c).next(c.req.raw);
      // Has the headers too that middleware has set before.
      return c.newResponse(response.body, response);
    });
    this.#whole = whole;
    const routes = app.routes.map(({ method, path, handler }) => ({
      method,
      path,
      isMiddleware: method === "ALL" && original(handler).length > 1,
    }));
    this.table = { routes: readsPathsItself ? [{ method: "ALL", path: "*", isMiddleware: true }] : routes, isStrict };
  }

  async fetch(request: Request, call: AppCall): Promise<Response> {
    return this.#whole.fetch(request, { [callKey]: call });
  }
}

/** Sets the variable that the development server sets. */
const setUser: MiddlewareHandler = async (c, next) => {
  const { user } = callOf(c);
  if (user) c.set("auth", { user, scopes: user.permissions });
  await next();
};

/**
 * The class of the project's own copy of Hono. Subclasses aren't constructed: they may need arguments, and add routes of
 * their own.
 */
function honoClass(app: Hono): new (options?: object) => Hono {
  let prototype = Object.getPrototypeOf(app);
  // Above Hono is the class that it shares with its presets.
  while (depthOf(prototype) > 2) prototype = Object.getPrototypeOf(prototype);
  return prototype.constructor;
}

/** The number of prototypes from this one to the last before that of all objects. */
function depthOf(prototype: object): number {
  const above = Object.getPrototypeOf(prototype);
  return above === null ? 0 : 1 + depthOf(above);
}

function callOf({ env }: Context): AppCall {
  return (env as { [callKey]: AppCall })[callKey];
}

function original(handler: object & { length?: number }): { length: number } {
  const inner = (handler as Record<string, unknown>)[composed];
  return isFunction(inner) ? original(inner) : (handler as { length: number });
}

function isFunction(value: unknown): value is (...args: never) => unknown {
  return typeof value === "function";
}
