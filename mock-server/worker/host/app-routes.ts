import type { AppRole } from "../../agent-server/served-project.ts";
import type { AppTable } from "../protocol.ts";

/** Finds out how a project's app takes part in a request. */
export type FindRole = (method: string, url: string) => AppRole;

/**
 * The routes of an app, matched as Hono does, with its own code. An app without a table takes part wherever the agent
 * server has no route; so does one that reads paths in its own way, which may have middleware everywhere else.
 */
export async function appRoutes(
  { routes, isStrict }: AppTable,
  isServedByUs: (path: string) => boolean,
): Promise<FindRole> {
  if (routes === null) return (_, url) => (isServedByUs(new URL(url).pathname) ? "none" : "route");
  const [{ SmartRouter }, { RegExpRouter }, { TrieRouter }, { getPath, getPathNoStrict }] = await Promise.all([
    import("hono/router/smart-router"),
    import("hono/router/reg-exp-router"),
    import("hono/router/trie-router"),
    import("hono/utils/url"),
  ]);
  // As in the class Hono: the two differ for patterns such as /*/*.
  const router = new SmartRouter<boolean>({ routers: [new RegExpRouter(), new TrieRouter()] });
  for (const { method, path, isMiddleware } of routes) router.add(method, path, isMiddleware);
  const pathOf = isStrict ? getPath : getPathNoStrict;
  return (method, url) => {
    const [matches] = router.match(method === "HEAD" ? "GET" : method, pathOf({ url } as Request));
    if (matches.length === 0) return "none";
    return matches.every(([isMiddleware]) => isMiddleware) ? "middleware" : "route";
  };
}
