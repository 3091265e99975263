import findMyWay from "find-my-way";
import type { Handler } from "./http-response.ts";

/** What serves the requests that a router finds it for. */
export interface Endpoint {
  /** The operation that they belong to; `null` for what is described nowhere. */
  operation: string | null;
  handle: Handler;
}

/** What a router has found for a request. */
export interface Found<Target> {
  target: Target;
  /** Decoded. */
  params: Readonly<Record<string, string>>;
}

/** A name, to tell a wildcard from a path's usual parameters. */
const options = { maxParamLength: Number.MAX_SAFE_INTEGER, querystringParser: () => ({}) };
const unused = () => undefined;

/** Finds what serves a method of a path. Paths are templates such as `/threads/{thread_id}`, and may end in `*`, which takes the rest. */
export class Router<Target> {
  readonly #targets = findMyWay(options);
  /** Which methods a path has, found under one method of all. */
  readonly #methods = findMyWay(options);
  readonly #methodsByPath = new Map<string, string[]>();

  on(method: string, path: string, target: Target): void {
    this.#targets.on(method as findMyWay.HTTPMethod, routerPath(path), unused, target);
  }

  /** Serves every method of a path. */
  all(path: string, target: Target): void {
    this.#targets.all(routerPath(path), unused, target);
  }

  /** Like {@link on}, for a path of which the other methods are answered with those that it has: see {@link methodsOf}. */
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
   * HEAD is served by what serves GET. `path` is encoded. A path without the method isn't taken for another whose parameter it would fit:
   * `/runs/wait` isn't the run `wait`.
   */
  find(method: string, path: string): Found<Target> | undefined {
    const served = method === "HEAD" ? "GET" : method;
    return this.methodsOf(path)?.includes(served) === false ? undefined : found(this.#targets, served, path);
  }

  /** The methods of a path; `undefined` for a path that isn't known, or wasn't added by {@link onlyOn}. */
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
