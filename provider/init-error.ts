import { jsonSafe } from "./json-safe.ts";
import type { DeploymentState } from "./state.ts";

/**
 * A failure after which the deployment exists: the engine keeps the resource with its id and properties, and the next
 * run resumes it instead of creating another. Only this error may have an `id`, because the dynamic provider treats any
 * error with one as a created resource.
 */
export class InitError extends Error {
  readonly id: string;
  readonly properties: DeploymentState;
  readonly reasons: readonly string[];

  constructor(id: string, properties: DeploymentState, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(reason);
    this.name = "InitError";
    this.id = id;
    // Without `__provider` the engine could never delete or refresh the resource again.
    this.properties = jsonSafe(properties);
    this.reasons = [reason];
  }
}
