import type { Fields } from "../engine/contract.ts";
import type { AssistantRecord } from "../persistence/records.ts";
import type { ProtocolHost } from "../protocol-host.ts";
import { takesMessages } from "./assistant-input.ts";

/**
 * The agent card of an assistant, in the form of 0.3 or of 1.0. That of 0.3 names the interfaces of both versions, as
 * clients of 1.0 find them there.
 */
export async function agentCard(host: ProtocolHost, assistant: AssistantRecord, isLegacy: boolean): Promise<Fields> {
  const { assistant_id: id, name, graph_id: graphId } = assistant;
  const url = `${host.baseUrl()}/a2a/${id}`;
  const description = assistant.description ?? `The assistant ${name} of the graph ${graphId}.`;
  const inputModes = (await takesMessages(host, assistant)) ? ["text/plain", "application/json"] : ["application/json"];
  const outputModes = ["text/plain", "application/json"];
  const interfaces = ["1.0", "0.3"].map((protocolVersion) => ({
    url,
    protocolBinding: "JSONRPC",
    protocolVersion,
    tenant: "",
  }));
  const shared = {
    name,
    description,
    version: String(assistant.version),
    supportedInterfaces: interfaces,
    capabilities: { streaming: true, pushNotifications: true },
    defaultInputModes: inputModes,
    defaultOutputModes: outputModes,
    skills: [{ id: graphId, name, description, tags: ["assistant"], examples: [], inputModes, outputModes }],
  };
  return isLegacy
    ? { ...shared, protocolVersion: "0.3.0", url, preferredTransport: "JSONRPC", ...legacySecurity(host) }
    : { ...shared, ...security(host) };
}

const keyDescription = "A key of the deployment's workspace.";
const handlerDescription = "What the auth handlers of the project accept, usually a token.";

function legacySecurity({ admission }: ProtocolHost): Fields {
  if (admission === "nothing") return {};
  const scheme =
    admission === "key"
      ? { key: { type: "apiKey", in: "header", name: "X-Api-Key", description: keyDescription } }
      : { token: { type: "http", scheme: "Bearer", description: handlerDescription } };
  return { securitySchemes: scheme, security: Object.keys(scheme).map((name) => ({ [name]: [] })) };
}

function security({ admission }: ProtocolHost): Fields {
  if (admission === "nothing") return {};
  const schemes =
    admission === "key"
      ? { key: { apiKeySecurityScheme: { location: "header", name: "X-Api-Key", description: keyDescription } } }
      : { token: { httpAuthSecurityScheme: { scheme: "Bearer", description: handlerDescription } } };
  const requirements = Object.keys(schemes).map((name) => ({ schemes: { [name]: { list: [] } } }));
  return { securitySchemes: schemes, securityRequirements: requirements };
}
