import type { Command, Fields, Interrupt, Outcome } from "../../agent-server/engine/contract.ts";
import type { Calls } from "../calls.ts";
import type { ExecuteParams, ServerMethods, WorkerMethods } from "../protocol.ts";
import { threadSaver } from "./checkpoint-saver.ts";
import type { EventWriter } from "./event-writer.ts";
import { GraphEvents } from "./graph-events.ts";
import type { CompiledGraph, GraphMaker } from "./graph-export.ts";
import type { Library } from "./library.ts";
import { ProtocolEvents } from "./protocol-events.ts";
import { runStore } from "./run-store.ts";
import { wireValue } from "./wire-json.ts";

/** Thrown where the project's library has no event streams of the version that the streaming protocol needs. */
class EventStreamingUnsupported extends Error {
  override readonly name = "EventStreamingUnsupported";

  constructor(version: string) {
    super(
      `Event streaming needs @langchain/langgraph 1.3.0 or later, and the project has ${version}: update it there.`,
    );
  }
}

/** What becomes of a graph's stream. */
type RunStream = Pick<GraphEvents, "libraryModes" | "messages">;

/** Dependencies of a run. */
export interface RunEnvironment {
  library: Library;
  calls: Calls<WorkerMethods, ServerMethods>;
  makeGraph: GraphMaker;
  writer: EventWriter;
  signal: AbortSignal;
}

/** Runs a user's graph until it finishes or is interrupted. @throws what the graph throws. */
export async function runGraph(
  params: ExecuteParams,
  { library, calls, makeGraph, writer, signal }: RunEnvironment,
): Promise<Outcome> {
  const { handle, threadId, runId, keepsState } = params;
  const events = params.streamsProtocol
    ? new ProtocolEvents(writer)
    : new GraphEvents(library, params.streamModes, params.streamSubgraphs, writer);
  const store = runStore(library, calls, handle);
  const { options, configurable } = optionsOf(params, library, events, signal);
  const graph = await makeGraph({ ...params.config, configurable }, { context: params.context, store, signal });
  graph.checkpointer = keepsState ? threadSaver(library, calls, { handle, threadId, runId }) : undefined;
  graph.store = store;
  const input = params.command ? libraryCommand(library, params.command) : (params.input ?? null);

  let values: unknown = {};
  let interrupts: Interrupt[] | undefined;
  const chunks =
    events instanceof ProtocolEvents
      ? protocolChunks(graph, input, options, library)
      : chunksOf(graph, input, options, params, events);
  for await (const [namespace, mode, chunk, node] of chunks) {
    if (mode === "values" && namespace.length === 0) {
      const paused = interruptsIn(chunk);
      if (paused) interrupts = [...(interrupts ?? []), ...paused];
      else values = chunk;
    }
    events.take(namespace, mode, chunk, node);
    if (writer.isFull) await writer.room();
  }
  return {
    values: wireValue(values ?? {}, "The state"),
    ...(interrupts ? { interrupts: wireValue(interrupts, "interrupts") } : {}),
  };
}

type Chunk = [namespace: readonly string[], mode: string, chunk: unknown, node?: string];

/** The chunks of the graph's stream; with the mode `events`, extracted from its event stream. */
async function* chunksOf(
  graph: CompiledGraph,
  input: unknown,
  options: object,
  { streamModes, streamSubgraphs, runId }: ExecuteParams,
  events: GraphEvents,
): AsyncGenerator<Chunk> {
  const toChunk = (chunk: unknown[]) => (streamSubgraphs ? chunk : [[], ...chunk]) as Chunk;
  if (!streamModes.includes("events")) {
    for await (const chunk of await graph.stream(input as never, options)) yield toChunk(chunk as unknown[]);
    return;
  }
  for await (const event of graph.streamEvents(input as never, { ...options, version: "v2" })) {
    if (event.tags?.includes("langsmith:hidden")) continue;
    if (event.event === "on_chain_stream" && (streamSubgraphs || event.run_id === runId)) {
      yield toChunk(event.data.chunk);
    } else events.takeEvent(event);
  }
}

/** The chunks of the graph's event stream of version 3, by the methods of the streaming protocol. */
async function* protocolChunks(
  graph: CompiledGraph,
  input: unknown,
  options: object,
  library: Library,
): AsyncGenerator<Chunk> {
  if (!Object.hasOwn(library, "convertToProtocolEvent")) throw new EventStreamingUnsupported(library.version);
  for await (const { method, params } of await graph.streamEvents(input as never, { ...options, version: "v3" })) {
    yield [params.namespace, method, params.data, params.node];
  }
}

function optionsOf(params: ExecuteParams, library: Library, events: RunStream, signal: AbortSignal) {
  const { config, checkpointId, runId, threadId, context, metadata, recursionLimit, durability } = params;
  const configurable = {
    ...(config.configurable as Fields),
    thread_id: threadId,
    ...(checkpointId === undefined ? {} : { checkpoint_id: checkpointId }),
  };
  const { interruptBefore, interruptAfter } = params;
  const options = {
    configurable,
    ...(Array.isArray(config.tags) ? { tags: config.tags } : {}),
    context,
    metadata: {
      ...metadata,
      langgraph_version: library.version,
      langgraph_plan: "developer",
      langgraph_host: "self-hosted",
    },
    ...(recursionLimit === undefined ? {} : { recursionLimit }),
    ...(interruptBefore.length > 0 ? { interruptBefore } : {}),
    ...(interruptAfter.length > 0 ? { interruptAfter } : {}),
    ...(events.messages ? { callbacks: [events.messages.callbacks] } : {}),
    durability,
    streamMode: events.libraryModes(),
    subgraphs: params.streamSubgraphs,
    runId,
    signal,
  };
  return { options, configurable };
}

/** A command for the library. */
export function libraryCommand(library: Library, { goto, update, resume }: Command): never {
  const destinations = goto === undefined ? undefined : [goto].flat();
  return new library.Command({
    ...(destinations
      ? { goto: destinations.map((to) => (typeof to === "string" ? to : new library.Send(to.node, to.input))) }
      : {}),
    ...(update === undefined || update === null ? {} : { update: update as Fields }),
    ...(resume === undefined ? {} : { resume }),
  }) as never;
}

function interruptsIn(chunk: unknown): Interrupt[] | undefined {
  if (typeof chunk !== "object" || chunk === null || !("__interrupt__" in chunk)) return undefined;
  return chunk.__interrupt__ as Interrupt[];
}
