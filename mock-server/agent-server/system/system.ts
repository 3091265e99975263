import { z } from "zod";
import { named } from "../agent-schemas.ts";
import type { Assistants } from "../assistants/assistants.ts";
import type { Fields } from "../engine/contract.ts";
import type { LiveRun } from "../runs/live-run.ts";
import type { RunQueue } from "../runs/run-queue.ts";
import type { Runs } from "../runs/runs.ts";
import type { Items } from "../store/items.ts";
import type { Threads } from "../threads/threads.ts";

export const truncation = named(
  "Truncation",
  z.object({
    runs: z.boolean().default(false),
    threads: z.boolean().default(false),
    assistants: z.boolean().default(false),
    checkpointer: z.boolean().default(false),
    store: z.boolean().default(false),
  }),
);

interface SystemDependencies {
  queue: Pick<RunQueue<LiveRun>, "workers" | "running" | "waiting">;
  /** The deployment, as `/info` shows it. */
  identity: () => Fields;
  assistants: Assistants;
  threads: Threads;
  runs: Runs;
  items: Items;
}

/** Information about the agent server, its metrics, and the deletion of stored data. */
export class System {
  readonly #dependencies: SystemDependencies;

  constructor(dependencies: SystemDependencies) {
    this.#dependencies = dependencies;
  }

  get identity(): Fields {
    return this.#dependencies.identity();
  }

  get metrics() {
    const { workers, running, waiting } = this.#dependencies.queue;
    return {
      workers: { max: workers, active: running, available: workers - running },
      queue: { num_pending: waiting, num_running: running },
    };
  }

  /** The metrics in the text format of Prometheus. */
  get prometheusText(): string {
    const { workers, queue } = this.metrics;
    const gauges: [name: string, help: string, value: number][] = [
      ["agent_server_workers_max", "Maximum number of concurrent runs.", workers.max],
      ["agent_server_workers_active", "Workers with a run.", workers.active],
      ["agent_server_workers_available", "Workers without a run.", workers.available],
      ["agent_server_queue_pending", "Queued runs.", queue.num_pending],
      ["agent_server_queue_running", "Runs in progress.", queue.num_running],
    ];
    return gauges
      .map(([name, help, value]) => `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${name} ${value}\n`)
      .join("");
  }

  /** Deletes everything of the chosen kinds. */
  async truncate(chosen: z.output<typeof truncation>): Promise<void> {
    const { assistants, threads, runs, items } = this.#dependencies;
    if (chosen.threads) await threads.clear();
    if (chosen.runs) await runs.clear();
    if (chosen.threads || chosen.runs) runs.clearEnded();
    if (chosen.checkpointer) threads.clearStates();
    if (chosen.store) items.clear();
    if (chosen.assistants) assistants.clear();
  }
}
