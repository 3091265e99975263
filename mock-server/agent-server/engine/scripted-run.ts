import { applyUpdate, initialValues } from "./channels.ts";
import { type CheckpointParts, makeCheckpoint, pendingTasks, withTasks } from "./checkpoint.ts";
import { type Command, type Destination, type Fields, GraphError, type Interrupt, type Outcome } from "./contract.ts";
import { RunEvents } from "./run-events.ts";
import type { Checkpoint, ScriptedExecution, Task } from "./scripted-execution.ts";
import { end, follow, type ScriptedGraph, start } from "./scripted-graph.ts";
import { type RunGraph, runTask, type TaskOutcome } from "./scripted-task.ts";

/** A run of a scripted graph or subgraph: executes steps until no task is left, and writes a checkpoint after each. */
export class ScriptedRun {
  readonly #graph: ScriptedGraph;
  readonly #execution: ScriptedExecution;
  readonly #namespace: readonly string[];
  readonly #events: RunEvents;
  readonly #aborted: Promise<never>;
  #values: Fields;
  #current: Checkpoint | undefined;

  constructor(graph: ScriptedGraph, execution: ScriptedExecution, namespace: readonly string[] = []) {
    this.#graph = graph;
    this.#execution = execution;
    this.#namespace = namespace;
    this.#events = new RunEvents(execution, graph.id, namespace);
    this.#current = execution.from;
    this.#values = { ...initialValues(graph.channels), ...execution.from?.values };
    this.#aborted = new Promise((_, reject) => {
      if (execution.signal.aborted) reject(execution.signal.reason);
      execution.signal.addEventListener("abort", () => reject(execution.signal.reason), { once: true });
    });
    this.#aborted.catch(() => undefined);
  }

  /**
   * @throws what a node throws, a {@link GraphError} for an invalid input or command, or the reason of the aborted
   * signal.
   */
  async run(): Promise<Outcome> {
    try {
      return await this.#run();
    } finally {
      await this.#saveLast();
    }
  }

  async #run(): Promise<Outcome> {
    const { command, input, recursionLimit, interruptBefore, interruptAfter } = this.#execution;
    this.#events.runStarts(input);
    let mayPause = true;
    let current: Checkpoint;
    if (command) {
      current = await this.#begin(command);
      mayPause = false;
    } else if (input !== null && input !== undefined) {
      current = await this.#takeInput(input);
    } else {
      if (!this.#current) throw new GraphError("EmptyInputError", "There is no input, and no state to continue from.");
      current = this.#current;
      mayPause = false;
    }
    for (let steps = 0; ; steps++) {
      const tasks = pendingTasks(current);
      if (tasks.length === 0) {
        this.#events.runEnds(this.#values);
        return { values: this.#values };
      }
      if (mayPause && matches(interruptBefore, tasks)) return this.#pause([]);
      if (steps >= recursionLimit) {
        throw new GraphError(
          "GraphRecursionError",
          `Recursion limit of ${recursionLimit} reached without hitting a stop condition. Raise it with the config "recursion_limit".`,
        );
      }
      const paused = await this.#step(current, tasks);
      if (paused) return this.#pause(paused);
      current = this.#current as Checkpoint;
      mayPause = true;
      if (matches(interruptAfter, tasks)) return this.#pause([]);
    }
  }

  /** Runs tasks concurrently; returns their interrupts, if any. */
  async #step(current: Checkpoint, tasks: Task[]): Promise<Interrupt[] | undefined> {
    const outcomes = await Promise.race([Promise.all(tasks.map((task) => this.#runOne(current, task))), this.#aborted]);
    const byId = new Map(outcomes.map((outcome) => [outcome.task.id, outcome]));
    const done = current.tasks.map((task) => byId.get(task.id)?.task ?? task);
    const settled = withTasks(current, done);
    await this.#save(settled);
    this.#current = settled;
    const failed = outcomes.find(({ failure }) => failure !== undefined);
    if (failed) throw failed.failure;
    const interrupts = done.filter(({ result }) => result === undefined).flatMap((task) => task.interrupts);
    if (interrupts.length > 0) return interrupts;

    let values = this.#values;
    for (const { result } of done) if (result) values = this.#apply(values, result);
    this.#values = values;
    const next = done.flatMap((task): Destination[] => {
      const goto = byId.get(task.id)?.goto ?? [];
      return goto.length > 0 ? [...goto] : follow(this.#graph.edges[task.name] ?? end, values);
    });
    await this.#commit("loop", next);
    return undefined;
  }

  async #runOne(current: Checkpoint, task: Task): Promise<TaskOutcome> {
    const step = current.step + 1;
    const input = task.input ? task.input.value : this.#values;
    this.#events.taskStarts(task, step, input);
    const outcome = await runTask(this.#graph, task, input as Fields, step, this.#execution, this.#namespace, runGraph);
    this.#events.taskEnds(outcome.task, step, outcome.updates);
    return outcome;
  }

  async #takeInput(input: unknown): Promise<Checkpoint> {
    const values = this.#apply(this.#values, input);
    const before = await this.#commit("input", [start], { emits: "checkpoint" });
    await this.#save(
      withTasks(
        before,
        before.tasks.map((task) => ({ ...task, result: input as Fields })),
      ),
    );
    this.#values = values;
    this.#events.inputApplied(values);
    return this.#commit("loop", follow(this.#graph.edges[start], values));
  }

  async #begin(command: Command): Promise<Checkpoint> {
    const hasChange = command.goto !== undefined || (command.update !== undefined && command.update !== null);
    if (command.resume !== undefined) {
      if (!this.#current) throw new GraphError("EmptyInputError", "There is nothing to resume on this thread.");
      this.#current = answered(this.#current, command.resume);
      if (!hasChange) {
        this.#events.stateChanged(this.#values, this.#current);
        return this.#current;
      }
    }
    if (!hasChange) throw new GraphError("EmptyInputError", "The command has no update, resume or goto.");
    if (command.update !== undefined && command.update !== null) {
      this.#values = this.#apply(this.#values, command.update);
    }
    const goto =
      command.goto === undefined || command.goto === null ? undefined : ([command.goto].flat() as Destination[]);
    if (command.resume !== undefined && goto === undefined && this.#current) {
      // The answered tasks go on with the update, and the next checkpoint has the results of both.
      this.#current = { ...this.#current, values: this.#values };
      this.#events.stateChanged(this.#values, this.#current);
      return this.#current;
    }
    const pending = this.#current ? pendingTasks(this.#current).map(({ name }) => name) : [];
    return this.#commit("update", goto ?? pending);
  }

  async #commit(
    source: CheckpointParts["source"],
    next: readonly Destination[],
    { emits = "all" }: { emits?: "all" | "checkpoint" } = {},
  ): Promise<Checkpoint> {
    const { metadata, runId, now, uuid } = this.#execution;
    const parent = this.#current;
    const checkpoint = makeCheckpoint({
      graph: this.#graph,
      parent,
      namespace: this.#namespace.join("|"),
      source,
      step: (parent?.step ?? -2) + 1,
      values: this.#values,
      next,
      metadata,
      runId,
      now: now(),
      random: uuid(),
    });
    this.#current = checkpoint;
    await this.#save(checkpoint);
    if (emits === "all") this.#events.stateChanged(this.#values, checkpoint);
    this.#events.checkpointMade(checkpoint);
    return checkpoint;
  }

  /**
   * Whether only the last checkpoint of the run is stored. Those of subgraphs always are, since their interrupts are
   * resumed there.
   */
  get #savesAtExit(): boolean {
    return this.#execution.durability === "exit" && this.#namespace.length === 0;
  }

  async #save(checkpoint: Checkpoint): Promise<void> {
    if (!this.#savesAtExit) await this.#execution.checkpoints?.put(checkpoint);
  }

  /** Stores the last checkpoint, as the child of the one that the run started from: those between were never stored. */
  async #saveLast(): Promise<void> {
    const { from, checkpoints } = this.#execution;
    const last = this.#current;
    if (!this.#savesAtExit || !last || last === from) return;
    const parentId = last.id === from?.id ? from.parentId : (from?.id ?? null);
    await checkpoints?.put({ ...last, parentId });
  }

  #apply(values: Fields, update: unknown): Fields {
    return applyUpdate(this.#graph.channels, values, update, this.#execution.uuid);
  }

  #pause(interrupts: Interrupt[]): Outcome {
    if (interrupts.length > 0 && this.#namespace.length === 0) this.#events.paused(interrupts);
    return { values: this.#values, interrupts };
  }
}

const runGraph: RunGraph = (graph, execution, namespace) => new ScriptedRun(graph, execution, namespace).run();

function matches(nodes: "*" | readonly string[], tasks: readonly Task[]): boolean {
  return nodes === "*" ? tasks.length > 0 : tasks.some(({ name }) => nodes.includes(name));
}

/** A checkpoint with answers for its interrupted tasks: one for each id of an interrupt, or the same for all. */
function answered(checkpoint: Checkpoint, resume: unknown): Checkpoint {
  const ids = checkpoint.tasks.flatMap(({ interrupts }) => interrupts.map(idOf));
  const isById =
    typeof resume === "object" &&
    resume !== null &&
    Object.keys(resume).length > 0 &&
    Object.keys(resume).every((key) => ids.includes(key));
  return withTasks(
    checkpoint,
    checkpoint.tasks.map((task) => {
      const open = task.result === undefined ? task.interrupts.at(-1) : undefined;
      if (!open || (isById && !Object.hasOwn(resume, idOf(open)))) return task;
      const answer = isById ? (resume as Fields)[idOf(open)] : resume;
      return { ...task, interrupts: [], answers: [...task.answers, answer] };
    }),
  );
}

/** A scripted graph's interrupts all have ids. */
const idOf = ({ id }: Interrupt) => id as string;
