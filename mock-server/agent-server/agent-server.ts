import type { DeploymentRecord } from "../control-plane/store/records.ts";
import type { HttpResponse } from "../kit/http/http-response.ts";
import type { RequestContext } from "../kit/http/request-context.ts";

/** A live deployment, as its agent server sees it. */
export interface LiveAgent {
  deployment: DeploymentRecord;
  /** The revision that serves the traffic. */
  revisionId: string;
}

/** Checks the key of a request as the server around agent servers does. @throws {HttpError} 401 or 403 for one that isn't valid. */
export type CheckKey = () => void;

/** What answers the requests to live deployments. */
export interface AgentServer {
  /**
   * Answers a request; `path` is the part after the agent server's own root, encoded, beginning with a slash.
   * @throws what `checkKey` throws, where the path needs a key and no auth handlers stand in its place.
   */
  handle(agent: LiveAgent, path: string, context: RequestContext, checkKey: CheckKey): Promise<HttpResponse>;
  /** Forgets what it has of all deployments, or of one, and cancels its runs. */
  forget?(deploymentId?: string): void;
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
