import type { AgentHost } from "../agent-host.ts";
import { changeThread, pruneThread } from "./thread-model.ts";

/** Prunes the threads of an agent server whose time to live is over, by its clock. */
export class ThreadExpiry {
  readonly #host: AgentHost;
  /** When it looks next, in milliseconds since the epoch. */
  #next = Number.POSITIVE_INFINITY;
  #cancel: () => void = () => undefined;

  constructor(host: AgentHost) {
    this.#host = host;
  }

  /** Prunes what expired while no server ran, and from then on each thread at its time. */
  async restore(): Promise<void> {
    await this.#prune();
  }

  /** Looks at a time (ISO 8601) at the latest. */
  expireAt(time: string): void {
    this.#lookAt(Date.parse(time));
  }

  #lookAt(time: number): void {
    if (time >= this.#next) return;
    this.#cancel();
    this.#next = time;
    this.#cancel = this.#host.alarms.set(time, () => this.#host.inBackground(() => this.#prune()));
  }

  async #prune(): Promise<void> {
    const { state, runs, clock } = this.#host;
    this.#next = Number.POSITIVE_INFINITY;
    for (const { thread_id: id, ttl } of state.threads.expired(clock.now())) {
      if (runs.isBusy(id)) changeThread(this.#host, id, () => ({}));
      else if (ttl) await pruneThread(this.#host, id, ttl.strategy);
    }
    const next = state.threads.nextExpiry();
    if (next !== undefined) this.#lookAt(next);
  }
}
