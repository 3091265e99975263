import type { HttpResponse } from "../kit/http/http-response.ts";
import type { RequestContext } from "../kit/http/request-context.ts";

/** Which agent an agent server is for. */
export interface AgentIdentity {
  id: string;
  name: string;
  /** The workspace that it belongs to. */
  tenantId: string;
  kind: "saas" | "self-hosted";
}

/** An agent that is live. */
export interface LiveAgent {
  identity: AgentIdentity;
  /** The revision that serves the traffic. */
  revisionId: string;
}

/** Checks the key of a request as the server around agent servers does; `null` where that asks for none. @throws {HttpError} 401 or 403 for one that isn't valid. */
export type CheckKey = (() => void) | null;

/** What responds to the requests to live deployments. */
export interface AgentServer {
  /**
   * Responds to a request; `path` is the part after the agent server's own root, encoded, beginning with a slash.
   * @throws what `checkKey` throws, where the path needs a key and no auth handlers stand in its place.
   */
  handle(agent: LiveAgent, path: string, context: RequestContext, checkKey: CheckKey): Promise<HttpResponse>;
  /** Ends what runs for one deployment, or for all, and removes what is kept of it. */
  remove?(deploymentId?: string): void;
  /** Ends what runs. What is kept stays, for a later server to continue with. */
  close?(): void;
  /** The deployments that have something to do which no request asks for, such as runs that wait. */
  deploymentsWithWork?(): readonly string[];
  /** Continues with what is kept of a deployment, as a request to it does. Fails when its graphs don't load. */
  wake?(agent: LiveAgent): Promise<void>;
}

/** The paths of an agent server that need no key, so that browsers and health checks can read them. */
const openAgentPaths: ReadonlySet<string> = new Set(["/ok", "/info", "/docs", "/openapi.json"]);

export function isOpenAgentPath(path: string): boolean {
  return openAgentPaths.has(path) || path.startsWith("/docs/");
}

/** Browsers ask what they may send before they send a key. */
export function needsKey(path: string, { method }: RequestContext): boolean {
  return method !== "OPTIONS" && !isOpenAgentPath(path);
}
