import type { HttpResponse } from "../kit/http/http-response.ts";
import type { RequestContext } from "../kit/http/request-context.ts";

/** The deployment that an agent server belongs to. */
export interface AgentIdentity {
  id: string;
  name: string;
  /** The workspace. */
  tenantId: string;
  kind: "saas" | "self-hosted";
}

/** A deployment with a live revision. */
export interface LiveAgent {
  identity: AgentIdentity;
  /** The live revision. */
  revisionId: string;
}

/**
 * Checks the API key of a request; `null` where the server needs none.
 * @throws {HttpError} 401 or 403 for an invalid key.
 */
export type CheckKey = (() => void) | null;

/** Serves the live deployments. */
export interface AgentServer {
  /**
   * Responds to a request; `path` is relative to the agent server's root, percent-encoded, and begins with a slash.
   * @throws what `checkKey` throws, where the path needs a key and no auth handlers replace keys.
   */
  handle(agent: LiveAgent, path: string, context: RequestContext, checkKey: CheckKey): Promise<HttpResponse>;
  /** Ends the runs of one deployment, or of all, and removes the stored state. */
  remove?(deploymentId?: string): void;
  /** Ends all runs and keeps the stored state, from which a later server continues. */
  close?(): void;
  /** Ids of the deployments with pending work that no request triggers, such as queued runs and schedules. */
  deploymentsWithWork?(): readonly string[];
  /** Resumes the stored work of a deployment, as its first request does. Rejects when its graphs don't load. */
  wake?(agent: LiveAgent): Promise<void>;
}

/** Paths that need no key, for browsers and health checks. */
const openAgentPaths: ReadonlySet<string> = new Set(["/ok", "/info", "/docs", "/openapi.json"]);

/** Whether a request needs no key. Browsers load the files of a user interface like any script. */
export function isOpenAgentPath(path: string, method: string): boolean {
  return openAgentPaths.has(path) || path.startsWith("/docs/") || (method === "GET" && path.startsWith("/ui/"));
}

/** Whether a request needs a key. Preflight requests never do: browsers send them without credentials. */
export function needsKey(path: string, { method }: RequestContext): boolean {
  return method !== "OPTIONS" && !isOpenAgentPath(path, method);
}
