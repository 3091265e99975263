import { type Fields, GraphError } from "../../agent-server/engine/contract.ts";
import { type Message, textOf } from "../../agent-server/engine/messages.ts";
import type { NodeContext, NodeFunction } from "../../agent-server/engine/scripted-graph.ts";
import type { StepDeclaration } from "./graph-declaration.ts";
import { asText, filledIn } from "./placeholders.ts";

/** The text of a state's last message; empty when it has none. */
export function lastText(state: Fields): string {
  return textOf(lastMessage(state)?.content ?? "");
}

export function lastMessage({ messages }: Fields): Message | undefined {
  return (messages as Message[] | undefined)?.at(-1);
}

/** A node that executes declared steps in order. */
export function declaredNode(steps: readonly StepDeclaration[]): NodeFunction {
  return async (state, node) => {
    const progress = new NodeProgress(state);
    for (const step of steps) await takeStep(step, progress, node);
    return progress.update;
  };
}

/** The progress of a node: later steps see the changes of earlier ones. */
class NodeProgress {
  readonly #state: Fields;
  readonly #fields: Fields = {};
  readonly #messages: Message[] = [];
  #answer: unknown;

  constructor(state: Fields) {
    this.#state = state;
  }

  get update(): Fields {
    return this.#messages.length > 0 ? { ...this.#fields, messages: this.#messages } : this.#fields;
  }

  fill<Declared>(declared: Declared): Declared {
    const before = (this.#state.messages as Message[] | undefined) ?? [];
    const values = { ...this.#state, ...this.#fields, messages: [...before, ...this.#messages] };
    return filledIn(declared, { ...values, last: lastText(values), answer: this.#answer }) as Declared;
  }

  set(fields: Fields): void {
    Object.assign(this.#fields, fields);
  }

  add(message: Message): void {
    this.#messages.push(message);
  }

  answered(answer: unknown, into: string | undefined): void {
    this.#answer = answer;
    if (into !== undefined) this.#fields[into] = answer;
  }
}

async function takeStep(step: StepDeclaration, progress: NodeProgress, node: NodeContext): Promise<void> {
  if (step.reply !== undefined) {
    const { tags = [], pause_ms: pauseMs = 0 } = step;
    progress.add(await node.say(tokensOf(progress.fill(step.reply)), { tags, pauseMs }));
  } else if (step.tool !== undefined) {
    const { name, args = {}, result } = progress.fill(step.tool);
    const call = { id: `call_${node.uuid()}`, name, args, type: "tool_call" };
    progress.add({ type: "ai", id: node.uuid(), content: "", tool_calls: [call], invalid_tool_calls: [] });
    progress.add(await node.callTool(call, () => result ?? null));
  } else if (step.delay_ms !== undefined) {
    await node.sleep(step.delay_ms);
  } else if (step.set !== undefined) {
    progress.set(progress.fill(step.set));
  } else if (step.fail !== undefined) {
    const { error = "Error", message } = progress.fill(step.fail);
    throw new GraphError(error, asText(message));
  } else if (Object.hasOwn(step, "custom")) {
    node.write(progress.fill(step.custom));
  } else {
    progress.answered(node.interrupt(progress.fill(step.interrupt)), step.into);
  }
}

/** The declared tokens, or the words of a text. A filled-in placeholder may have any type. */
function tokensOf(reply: unknown): string[] {
  return Array.isArray(reply) ? reply.map(asText) : (asText(reply).match(/\S+\s*|\s+/g) ?? [""]);
}
