/** A run that waits for a worker. */
export interface Job {
  runId: string;
  threadId: string;
}

/**
 * Runs jobs with a bounded number of workers: those of one thread sequentially, in order of arrival, and threads in
 * turn, so that a thread with many jobs doesn't keep others waiting.
 */
export class RunQueue<J extends Job> {
  readonly workers: number;
  readonly #work: (job: J) => Promise<void>;
  readonly #jobs = new Map<string, J[]>();
  readonly #active = new Set<string>();
  #turns: string[] = [];

  /** `work` must not reject. */
  constructor(workers: number, work: (job: J) => Promise<void>) {
    this.workers = workers;
    this.#work = work;
  }

  get running(): number {
    return this.#active.size;
  }

  get waiting(): number {
    let count = 0;
    for (const jobs of this.#jobs.values()) count += jobs.length;
    return count;
  }

  add(job: J): void {
    const jobs = this.#jobs.get(job.threadId);
    if (jobs) jobs.push(job);
    else {
      this.#jobs.set(job.threadId, [job]);
      if (!this.#active.has(job.threadId)) this.#turns.push(job.threadId);
    }
    this.#start();
  }

  /** Removes a waiting job; false when it has started already. */
  remove({ runId, threadId }: Job): boolean {
    const jobs = this.#jobs.get(threadId) ?? [];
    const index = jobs.findIndex((job) => job.runId === runId);
    if (index < 0) return false;
    jobs.splice(index, 1);
    if (jobs.length === 0) {
      this.#jobs.delete(threadId);
      this.#turns = this.#turns.filter((turn) => turn !== threadId);
    }
    return true;
  }

  #start(): void {
    while (this.#active.size < this.workers) {
      const threadId = this.#turns.shift();
      if (threadId === undefined) return;
      const jobs = this.#jobs.get(threadId) as J[];
      const job = jobs.shift() as J;
      if (jobs.length === 0) this.#jobs.delete(threadId);
      this.#active.add(threadId);
      void this.#work(job).then(() => {
        this.#active.delete(threadId);
        if (this.#jobs.has(threadId)) this.#turns.push(threadId);
        this.#start();
      });
    }
  }
}
