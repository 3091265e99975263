import type { AccessRule } from "../auth/access-rule.ts";
import { GraphError } from "../engine/contract.ts";
import type { AssistantRecord } from "../persistence/records.ts";
import type { ProtocolHost } from "../protocol-host.ts";

/** Needs permission to read the assistant, unless it is a default one, as starting a run does. */
export const assistantToRun: AccessRule = async ({ params: { assistant_id: id } }, access) => {
  const assistantId = access.assistantIdOf(id as string);
  if (!access.isDefaultAssistant(assistantId)) {
    await access.authorize("assistants", "read", { assistant_id: assistantId });
  }
  return undefined;
};

/** Whether the input of an assistant's graph has messages, as far as that is known. */
export async function takesMessages(host: ProtocolHost, { assistant_id: id }: AssistantRecord): Promise<boolean> {
  const { services } = await host.permit({ access: assistantToRun }, { params: { assistant_id: id } });
  const { graph, settings } = services.assistants.graphToRun(id);
  try {
    return (await graph.inputFields(settings)).includes("messages");
  } catch (error) {
    if (!(error instanceof GraphError)) throw error;
    host.agent.warn(`The input of ${graph.id} is unknown: ${error.message} A2A takes it to have messages.`);
    return true;
  }
}
