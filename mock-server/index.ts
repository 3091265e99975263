/** The mock server as a library: `graphdeploy/mock-server`. */
export { connectMockServer, MockAdminError, type MockServerClient } from "./admin/admin-client.ts";
export type { Seed, Seeded } from "./admin/seed.ts";
export type { Snapshot } from "./admin/snapshot.ts";
export { isStudioUser } from "./agent-server/auth/studio-user.ts";
export { appended, type Channel, lastValue, messages } from "./agent-server/engine/channels.ts";
export {
  NodeCommand,
  type NodeContext,
  type NodeFunction,
  type ScriptedGraph,
} from "./agent-server/engine/scripted-graph.ts";
export type { Push } from "./control-plane/deployments/deployment-registry.ts";
export type { IntegrationSeed } from "./control-plane/integrations/integration-seed.ts";
export type { TransitionRule, TransitionSettings } from "./control-plane/revisions/transition-settings.ts";
export type { FaultEffect, FaultRule } from "./faults/fault-rule.ts";
export type { FaultReport } from "./faults/fault-table.ts";
export type { RecordedRequest, RequestCounts } from "./journal/journal.ts";
export type { Faults, MockServer, MockServerOptions, RequestsFilter, Transitions } from "./mock-server.ts";
export { startMockServer } from "./server.ts";
export type { ServerInfo } from "./server-info.ts";
export { mockServerFixture } from "./vitest-fixture.ts";
