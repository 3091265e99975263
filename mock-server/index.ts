/** The mock server as a library: `graphdeploy/mock-server`. */
export { connectMockServer, MockAdminError, type MockServerClient } from "./admin/admin-client.ts";
export { isStudioUser } from "./agent-server/auth/studio-user.ts";
export { appended, type Channel, lastValue, messages } from "./agent-server/engine/channels.ts";
export {
  NodeCommand,
  type NodeContext,
  type NodeFunction,
  type ScriptedGraph,
} from "./agent-server/engine/scripted-graph.ts";
export type { MockServer, MockServerOptions, RequestsFilter } from "./mock-server.ts";
export { startMockServer } from "./server.ts";
export type { ServerInfo } from "./server-info.ts";
export { mockServerFixture } from "./vitest-fixture.ts";
