import { agentServerRoutes } from "../../../mock-server/agent-server/agent-app.ts";
import { agentDocument } from "../../../mock-server/agent-server/agent-route.ts";
import { digestOf, type OpenApiFile } from "../../kit/conformance/digest.ts";
import { testDeviations } from "./openapi-deviations.ts";

const groups = ["/assistants", "/threads", "/runs", "/store", "/mcp", "/a2a", "/ok", "/info", "/metrics"];

testDeviations({
  name: "agent-server",
  ours: digestOf(agentDocument(agentServerRoutes, true) as unknown as OpenApiFile, groups),
  operations: 62,
});
