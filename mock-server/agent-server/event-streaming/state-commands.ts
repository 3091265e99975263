import type { z } from "zod";
import type { Fields, StateSnapshot } from "../engine/contract.ts";
import type { ProtocolHost } from "../protocol-host.ts";
import { readThread } from "../threads/thread-access.ts";
import type { agentGetTree, stateGet, stateListCheckpoints } from "./command-schemas.ts";
import type { EventStreaming } from "./event-streaming.ts";

const read = { access: readThread };

/** `state.get` */
export async function getState(
  host: ProtocolHost,
  threadId: string,
  { namespace, keys }: z.output<typeof stateGet>,
): Promise<Fields> {
  const streaming = await readable(host, threadId);
  const { values, checkpoint } = await streaming.state(threadId, namespace);
  const chosen = keys ? Object.fromEntries(Object.entries(values).filter(([key]) => keys.includes(key))) : values;
  if (!checkpoint) return { values: chosen };
  return { values: chosen, checkpoint: { id: checkpoint.checkpoint_id, ns: checkpoint.checkpoint_ns } };
}

/** `state.listCheckpoints` */
export async function listCheckpoints(
  host: ProtocolHost,
  threadId: string,
  params: z.output<typeof stateListCheckpoints>,
): Promise<Fields> {
  const streaming = await readable(host, threadId);
  const { namespace, limit, before } = params;
  const query = {
    ...(namespace === undefined ? {} : { namespace }),
    ...(limit === undefined ? {} : { limit }),
    ...(before === undefined ? {} : { before }),
  };
  return { checkpoints: (await streaming.history(threadId, query)).map(summaryOf) };
}

/** `agent.getTree` */
export async function getTree(
  host: ProtocolHost,
  threadId: string,
  { run_id: runId }: z.output<typeof agentGetTree>,
): Promise<Fields> {
  const streaming = await readable(host, threadId);
  return { tree: streaming.tree(threadId, runId) };
}

function summaryOf({ checkpoint, created_at: timestamp, metadata, next }: StateSnapshot): Fields {
  const step = typeof metadata.step === "number" ? metadata.step : 0;
  const node = next.length === 1 ? { node_name: next[0] } : {};
  return { id: checkpoint?.checkpoint_id ?? "", timestamp, step, ...node, metadata };
}

async function readable({ permit }: ProtocolHost, threadId: string): Promise<EventStreaming> {
  const { services } = await permit(read, { params: { thread_id: threadId } });
  return services.eventStreaming;
}
