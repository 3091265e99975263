import type { Frame } from "../../kit/log-reader.ts";
import type { Fields } from "../engine/contract.ts";
import { headOf } from "./thread-events.ts";

/** A graph or subgraph of a run, with the subgraphs that it has started. */
interface TreeNode {
  namespace: string[];
  status: string;
  graph_name: string;
  children?: TreeNode[];
}

/** An event of the channel `lifecycle`. */
interface Step {
  namespace: string[];
  data: Fields;
}

/** The graphs of a thread's last run, from the events that are kept; `undefined` without a run. */
export function agentTree(frames: readonly Frame[]): TreeNode | undefined {
  const nodes = new Map<string, TreeNode>();
  for (const { namespace, data } of lastRun(frames)) {
    const path = namespace.join("|");
    const known = nodes.get(path);
    const status = String(data.event);
    if (known) known.status = status;
    else {
      const node = { namespace, status, graph_name: String(data.graph_name ?? "") };
      nodes.set(path, node);
      const parent = nodes.get(namespace.slice(0, -1).join("|"));
      if (namespace.length > 0 && parent) parent.children = [...(parent.children ?? []), node];
    }
  }
  return nodes.get("");
}

/** The ids of the interrupts that a thread's last run has announced, from the events that are kept. */
export function requestedInterrupts(frames: readonly Frame[]): Set<string> {
  const ids = new Set<string>();
  for (const frame of frames) {
    const { method } = headOf(frame);
    if (method === "lifecycle" && isStart(stepOf(frame))) ids.clear();
    if (method === "input.requested") ids.add(String(stepOf(frame).data.interrupt_id));
  }
  return ids;
}

/** Whether an event is the last one of a run. */
export function isEndOfRun(frame: Frame): boolean {
  const { method, namespace } = headOf(frame);
  return method === "lifecycle" && namespace.length === 0 && !isStart(stepOf(frame));
}

function lastRun(frames: readonly Frame[]): Step[] {
  const steps = frames.filter((frame) => headOf(frame).method === "lifecycle").map(stepOf);
  return steps.slice(Math.max(0, steps.findLastIndex(isStart)));
}

function isStart({ namespace, data }: Step): boolean {
  return namespace.length === 0 && data.event === "running";
}

function stepOf({ text }: Frame): Step {
  return (JSON.parse(text) as { params: Step }).params;
}
