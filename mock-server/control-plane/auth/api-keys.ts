import { createHash } from "node:crypto";
import { HttpError, unprocessable } from "../../kit/http/http-error.ts";
import { uuidFrom } from "../../kit/ids.ts";

/** The default workspace where keys aren't bound to workspaces. */
export const defaultWorkspaceId = "00000000-0000-4000-8000-000000000001";

/** The headers that authenticate a request. */
export interface Credentials {
  apiKey: string | undefined;
  authorization: string | undefined;
  tenantId: string | undefined;
}

function keyOf({ apiKey, authorization }: Credentials): string {
  return apiKey || (/^Bearer\s+(\S+)$/i.exec(authorization ?? "")?.[1] ?? "");
}

/** Checks API keys and workspaces. Without configured keys, any non-empty key may access any workspace. */
export class ApiKeys {
  readonly #workspacesByKey: ReadonlyMap<string, readonly string[]> | undefined;
  readonly #strict: boolean;

  constructor(keys: Readonly<Record<string, readonly string[]>> | undefined, strict: boolean) {
    this.#strict = strict;
    if (keys !== undefined) {
      this.#workspacesByKey = new Map(
        Object.entries(keys).map(([key, ids]) => [key, ids.length > 0 ? ids : [defaultWorkspaceId]]),
      );
    }
  }

  /** Number of configured keys; `null`: any key is valid. */
  get size(): number | null {
    return this.#workspacesByKey?.size ?? null;
  }

  /** The configured keys, for redaction. */
  get keys(): string[] {
    return [...(this.#workspacesByKey?.keys() ?? [])];
  }

  get defaultWorkspace(): string {
    return this.#workspacesByKey?.values().next().value?.[0] ?? defaultWorkspaceId;
  }

  /**
   * Authenticates a request and returns its workspace.
   * @throws {HttpError} 401 without a valid key, 403 for a workspace that isn't the key's, 422 in strict mode when the
   * request names no workspace.
   */
  enter(credentials: Credentials): string {
    const workspaces = this.#workspacesOf(credentials);
    const { tenantId } = credentials;
    if (tenantId === undefined || tenantId === "") {
      if (this.#strict) {
        throw unprocessable([{ loc: ["header", "X-Tenant-Id"], msg: "Field required", type: "missing" }]);
      }
      if (workspaces && workspaces.length > 1) {
        throw new HttpError(
          403,
          "The API key has several workspaces, so it requires workspace specification: X-Tenant-Id.",
        );
      }
      return workspaces?.[0] ?? defaultWorkspaceId;
    }
    if (workspaces && !workspaces.includes(tenantId)) {
      throw new HttpError(403, "The API key has no access to this workspace.");
    }
    return tenantId;
  }

  /** A UUID for the holder of the key: deterministic, and revealing nothing of the key. */
  callerOf(credentials: Credentials): string {
    return uuidFrom(
      createHash("sha256")
        .update(`caller/${keyOf(credentials)}`)
        .digest(),
    );
  }

  /** @throws {HttpError} 401 or 403 unless the key belongs to the workspace. */
  admit(credentials: Credentials, workspace: string): void {
    const workspaces = this.#workspacesOf(credentials);
    if (workspaces && !workspaces.includes(workspace)) {
      throw new HttpError(403, "The API key has no access to this deployment.");
    }
  }

  #workspacesOf(credentials: Credentials): readonly string[] | undefined {
    const key = keyOf(credentials);
    if (key === "") throw new HttpError(401, "Missing API key: send it in the X-Api-Key header.");
    if (!this.#workspacesByKey) return undefined;
    const workspaces = this.#workspacesByKey.get(key);
    if (!workspaces) throw new HttpError(401, "Invalid API key.");
    return workspaces;
  }
}
