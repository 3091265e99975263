import type { Fields } from "../../agent-server/engine/contract.ts";
import { type Edge, end } from "../../agent-server/engine/scripted-graph.ts";
import { lastMessage, lastText } from "./declared-node.ts";
import type { ConditionDeclaration, NodeDeclaration } from "./graph-declaration.ts";
import { asText } from "./placeholders.ts";

/** The edge of declared branches and the node after them. */
export function declaredEdge({ branches = [], next = "end" }: NodeDeclaration): Edge {
  const otherwise = [next].flat().map(nodeName);
  if (branches.length === 0) return otherwise;
  return {
    pick(state) {
      const branch = branches.find(({ when }) => holds(when, state));
      return branch ? nodeName(branch.to) : otherwise;
    },
    targets: [...new Set([...branches.map(({ to }) => nodeName(to)), ...otherwise])],
  };
}

/** The name of a node in graphs; declarations call the end `end`. */
export function nodeName(declared: string): string {
  return declared === "end" ? end : declared;
}

function holds(condition: ConditionDeclaration, state: Fields): boolean {
  const { field, contains, matches, type } = condition;
  const value = field === undefined ? lastText(state) : state[field];
  const text = asText(value);
  return (
    (contains === undefined || text.toLowerCase().includes(contains.toLowerCase())) &&
    (matches === undefined || new RegExp(matches, "i").test(text)) &&
    (!Object.hasOwn(condition, "equals") || JSON.stringify(value) === JSON.stringify(condition.equals)) &&
    (type === undefined || lastMessage(state)?.type === type)
  );
}
