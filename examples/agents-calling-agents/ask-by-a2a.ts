import { SendMessageRequest, type Task } from "@a2a-js/sdk";
import { ClientFactory } from "@a2a-js/sdk/client";

/** Sends a message to an agent by the Agent2Agent protocol, and returns the text of its response. */
export async function askByA2a(server: string, agent: string, text: string): Promise<string> {
  const client = await new ClientFactory().createFromUrl(server, `/a2a/${agent}/.well-known/agent-card.json`);
  const message = { messageId: crypto.randomUUID(), role: "ROLE_USER", parts: [{ text }] };
  const task = (await client.sendMessage(SendMessageRequest.fromJSON({ message }))) as Task;
  const contents = task.artifacts.flatMap(({ parts }) => parts).map(({ content }) => content);
  return contents.map((content) => (content?.$case === "text" ? content.value : "")).join("");
}
