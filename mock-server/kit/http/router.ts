import findMyWay from "find-my-way";
import type { Handler } from "./http-response.ts";

/** The target of a route. */
export interface Endpoint {
  /** The operation id; `null` for undocumented routes. */
  operation: string | null;
  handle: Handler;
}

/** A matching route. */
export interface Found<Target> {
  target: Target;
  /** Path parameters, decoded. */
  params: Readonly<Record<string, string>>;
}

const options = { maxParamLength: Number.MAX_SAFE_INTEGER, querystringParser: () => ({}) };
const unused = () => undefined;

/** Finds the route of a request. Paths are templates such as `/threads/{thread_id}`; a final `*` matches the rest. */
export class Router<Target> {
  readonly #targets = findMyWay(options);
  /** The methods of each path. */
  readonly #methods = findMyWay(options);
  readonly #methodsByPath = new Map<string, string[]>();

  on(method: string, path: string, target: Target): void {
    this.#targets.on(method as findMyWay.HTTPMethod, routerPath(path), unused, target);
  }

  /** Adds a target for every method of a path. */
  all(path: string, target: Target): void {
    this.#targets.all(routerPath(path), unused, target);
  }

  /** Like {@link on}, for paths whose other methods get 405: see {@link methodsOf}. */
  onlyOn(method: string, path: string, target: Target): void {
    this.on(method, path, target);
    const known = this.#methodsByPath.get(path);
    if (known) {
      known.push(method);
      return;
    }
    const methods = [method];
    this.#methodsByPath.set(path, methods);
    this.#methods.on("GET", routerPath(path), unused, methods);
  }

  /**
   * Finds a route; HEAD uses the one for GET. `path` is percent-encoded. A path without the method never matches the
   * parameter of another route: `/runs/wait` isn't the run `wait`.
   */
  find(method: string, path: string): Found<Target> | undefined {
    const served = method === "HEAD" ? "GET" : method;
    return this.methodsOf(path)?.includes(served) === false ? undefined : found(this.#targets, served, path);
  }

  /** The methods of a path; `undefined` for a path that is unknown or wasn't added by {@link onlyOn}. */
  methodsOf(path: string): readonly string[] | undefined {
    return found<readonly string[]>(this.#methods, "GET", path)?.target;
  }
}

function found<Target>(router: ReturnType<typeof findMyWay>, method: string, path: string): Found<Target> | undefined {
  const match = router.find(method as findMyWay.HTTPMethod, path);
  if (!match) return undefined;
  const params = match.params as Record<string, string>;
  for (const name in params) if (params[name] === "" && name !== "*") return undefined;
  return { target: match.store as Target, params };
}

/** A path template in the router's notation. */
function routerPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ":$1");
}
