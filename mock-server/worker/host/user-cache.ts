import type { AuthRequest } from "../../agent-server/auth/auth-handlers.ts";
import type { AuthUser } from "../../agent-server/auth/auth-user.ts";
import type { AuthCacheSettings } from "../load/graph-config.ts";

/** Users by the headers that stand for them, so that auth handlers needn't be called again for a while. */
export class UserCache {
  readonly #settings: AuthCacheSettings;
  readonly #now: () => number;
  /** The one that was used last is last. */
  readonly #users = new Map<string, { user: AuthUser; until: number }>();

  constructor(settings: AuthCacheSettings, now: () => number) {
    this.#settings = settings;
    this.#now = now;
  }

  /** The user of a request, from the cache or from `authenticate`. Requests without any of the headers aren't cached. */
  async userOf(request: AuthRequest, authenticate: () => Promise<AuthUser>): Promise<AuthUser> {
    const { headers, ttlSeconds, maxSize } = this.#settings;
    const chosen = request.headers.filter(([name]) => headers.includes(name));
    if (chosen.length === 0) return authenticate();
    const key = JSON.stringify(chosen);
    const known = this.#users.get(key);
    this.#users.delete(key);
    const entry =
      known && known.until > this.#now()
        ? known
        : { user: await authenticate(), until: this.#now() + ttlSeconds * 1000 };
    this.#users.set(key, entry);
    const [oldest] = this.#users.keys();
    if (this.#users.size > maxSize && oldest !== undefined) this.#users.delete(oldest);
    return entry.user;
  }
}
