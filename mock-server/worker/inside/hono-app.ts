import type { Hono, MiddlewareHandler } from "hono";
import type { AuthUser } from "../../agent-server/auth/auth-user.ts";
import type { AppTable } from "../protocol.ts";

/** What the app gets beside a request. */
export interface AppCall {
  /** `null` without auth handlers, and for callers that aren't authenticated. */
  user: AuthUser | null;
  /** Responds as the agent server to the request that the middleware passes on. */
  next(request: PassedRequest): Promise<Response>;
}

/** A request that an app's middleware passes on. */
export interface PassedRequest {
  raw: Request;
  /** The body as the middleware has parsed and perhaps changed it. */
  json: unknown;
}

const callKey = Symbol("call");
type Bindings = { [callKey]: AppCall };
type HonoApp = Hono<{ Bindings: Bindings }>;

/** Under this name a handler of a grouped app with an error handler has the original. */
const composed = "__COMPOSED_HANDLER";

/** Whether an app is one of Hono, of whichever copy the project has. */
export function isHono(app: object): app is HonoApp {
  const { routes, router, getPath, notFound } = app as Partial<HonoApp>;
  return Array.isArray(routes) && typeof router?.match === "function" && [getPath, notFound].every(isFunction);
}

/** An app of Hono whose middleware and routes pass on to the agent server what they don't respond to themselves. */
export class PassingHono {
  readonly #whole: HonoApp;
  readonly table: AppTable;

  constructor(app: HonoApp) {
    // The project's own copy of Hono.
    const Class = Object.getPrototypeOf(app).constructor as new (options?: object) => HonoApp;
    const isStrict = app.getPath === new Class().getPath;
    const readsPathsItself = !isStrict && app.getPath !== new Class({ strict: false }).getPath;
    const whole = new Class({ getPath: app.getPath });
    whole.use(setUser);
    whole.route("/", app);
    whole.notFound(({ env, req }) => env[callKey].next({ raw: req.raw, json: req.bodyCache.json }));
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
const setUser: MiddlewareHandler<{ Bindings: Bindings; Variables: { auth: unknown } }> = async ({ env, set }, next) => {
  const { user } = env[callKey];
  if (user) set("auth", { user, scopes: user.permissions });
  await next();
};

function original(handler: object & { length?: number }): { length: number } {
  const inner = (handler as Record<string, unknown>)[composed];
  return isFunction(inner) ? original(inner) : (handler as { length: number });
}

function isFunction(value: unknown): value is (...args: never) => unknown {
  return typeof value === "function";
}
